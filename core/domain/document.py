"""The base of the pydantic models that the database stores as JSON documents."""

from pydantic import BaseModel, ConfigDict


class Document(BaseModel):
    """A frozen model that ignores unknown fields, so that a row of a later version can still be read.

    Validation errors do not repeat the input, which may contain a secret.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)
