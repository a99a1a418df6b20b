"""YAML of plain values, as configurations are written in."""

from typing import Any


def read_yaml(text: str) -> Any:
    """The value. Raises ValueError with the place; also for aliases, by which a small text can stand for gigabytes."""
    import yaml

    class Loader(yaml.SafeLoader):
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
                raise yaml.MarkedYAMLError(problem="aliases are not taken", problem_mark=mark)
            return super().compose_node(parent, index)

    try:
        return yaml.load(text, Loader)  # a SafeLoader: plain values alone
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
        raise ValueError(f"{place}{error.problem or 'it is no YAML'}") from None
    except yaml.YAMLError as error:
        raise ValueError(f"it is neither JSON nor YAML: {error}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
