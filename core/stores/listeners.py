"""Telling the listeners of a store, who must not be able to harm it."""

import logging

from psygnal import EmitLoopError, SignalInstance

log = logging.getLogger(__name__)


def tell(signal: SignalInstance, *values: object) -> None:
    """Emit the signal. A listener that raises is logged; whoever changed the store never sees it.

    Listeners that are bound methods are held weakly. Those behind one that raises miss this emission.
    """
    try:
        signal.emit(*values)
    except EmitLoopError:
        log.exception("a listener of %s failed", signal.name)
