"""Answers to input forms: validated, kept as sealed drafts, or merged into the next revision."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from assent.domain.canonical import Json
from assent.domain.decisions import Give
from assent.domain.forms import UserInput
from assent.domain.outputs import json_text
from assent.domain.requests import Request
from assent.domain.tools import EffectiveTool
from assent.engine.decisions.checks import Case
from assent.engine.gate.gated_calls import GatedCall
from assent.engine.gate.inputs import Merged, merge
from assent.engine.gate.planner import Planner
from assent.engine.kernel import Kernel
from assent.engine.threads import aside, weight
from assent.engine.vault import Vault

_DRAFT = "draft"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The validated answers of a form; without a ruling they are a draft."""

    tool: EffectiveTool
    draft: str | None = None
    merged: Merged | None = None
    gated: GatedCall | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """Turns the answers of a person into the next revision of a call."""

    kernel: Kernel

    async def judge(
        self, case: Case, tool: EffectiveTool, given: Give, planner: Planner
    ) -> Answered:
        """Validate all answers; raises `InvalidAnswer` or `InvalidArguments` with every problem."""
        form = UserInput.from_json(cast("Mapping[str, Json]", case.request.question.form or {}))
        size = weight(given.values) + len(case.call.arguments.text) + len(case.request.draft or "")
        if given.partial:
            return Answered(tool=tool, draft=await aside(size, self._sealed, case, form, given))
        merged = await aside(size, self._merged, case, tool, form, given)
        gated = await planner.plan(case.call, tool, merged.frozen, merged.arguments)
        return Answered(tool=tool, merged=merged, gated=gated)

    def _sealed(self, case: Case, form: UserInput, given: Give) -> str:
        before = opened_draft(self.kernel.vault, case.request)
        values = {**before, **form.validate_part(given.values, before)}
        # The whole draft is sealed: it may hold a secret that is not stored separately yet.
        return self.kernel.vault.seal(json_text(values), row=case.request.id, field=_DRAFT)

    def _merged(self, case: Case, tool: EffectiveTool, form: UserInput, given: Give) -> Merged:
        before = opened_draft(self.kernel.vault, case.request)
        answers = form.validate(given.values, {**case.request.question.prefilled, **before})
        return merge(
            tool,
            case.call.arguments.thaw(),
            answers,
            conversation_id=case.call.conversation_id,
            call_id=case.call.id,
            vault=self.kernel.vault,
            ids=self.kernel.ids,
            at=self.kernel.clock.now(),
        )


def opened_draft(vault: Vault, request: Request) -> dict[str, Json]:
    """Return the answers saved so far for a request's form; they may include secrets."""
    if request.draft is None:
        return {}
    return json.loads(vault.open(request.draft, row=request.id, field=_DRAFT))
