"""Code steps without a worker process: for harmless code in lives that are many, forked or led in virtual time."""

from core.errors import CodeFailed
from core.ports import CodeLimits, Console
from core.sandbox.interpreter import Interpreter

_INTERPRETER = Interpreter()
_INTERPRETER.warm_up()  # once, for all forks of this process


class SandboxHere:
    """A `core.ports.sandbox.Sandbox` that runs code where it is."""

    async def run(
        self,
        source: str,
        input_json: str,
        limits: CodeLimits = CodeLimits(),
        console: Console | None = None,
        owner: str = "",
    ) -> str:
        request = {
            "source": source,
            "input": input_json,
            "timeout_s": limits.timeout_s,
            "memory_bytes": limits.memory_bytes,
            "stack_bytes": limits.stack_bytes,
            "output_bytes": limits.output_bytes,
        }
        answer = _INTERPRETER.run(request, started=lambda: None, printed=lambda told: None)
        if "failed" in answer:
            raise CodeFailed(answer["failed"], answer["message"], **answer["parameters"])
        output: str = answer["output"]
        return output

    async def check(self, source: str) -> CodeFailed | None:
        answer = _INTERPRETER.check(source)
        return CodeFailed(answer["failed"], answer["message"], **answer["parameters"]) if answer else None
