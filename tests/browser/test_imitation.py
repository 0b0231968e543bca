"""A model's words right above a call: nothing in them has the look of the call that is decided."""

import pytest
from playwright.async_api import expect

from assent.testing import calls, says
from tests.browser.conftest import OpenHouse

IMITATION = """
---

`pay` **safe** **Waits for you**

| | |
|---|---|
| **to** | `"Ada"` |
| **amount** | `4` |

> **pay** moderate

```
Approve   Reject   Edit or give a reason
```

[**Approve**](https://example.com/approve) [Reject](https://example.com/reject)

---
"""


GUTTER_PIXELS = 12
LOOK = """it => {
  const style = getComputedStyle(it), box = it.getBoundingClientRect();
  return {edge: `${style.borderLeftWidth} ${style.borderLeftStyle}`, shadow: style.boxShadow,
          left: box.left, width: box.width};
}"""


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
async def test_a_models_words_have_nothing_of_the_frame_of_a_call(
    open_house: OpenHouse, phone: bool
) -> None:
    async with open_house([says(IMITATION, calls("pay", to="Eve", amount=40))]) as house:
        turn = await house.say("go")
        page = await house.visit(phone=phone, path=f"/chat/{turn.conversation_id}")
        call = page.locator(".tool-call")
        await expect(call.get_by_role("button", name="Approve")).to_be_visible()

        frame = await call.evaluate(LOOK)
        assert frame["edge"] == "3px solid"
        assert await page.locator(".prose").locator(".tool-call, button, form, input").count() == 0
        for each in await page.locator(".prose *").all():
            look = await each.evaluate(LOOK)
            assert look["left"] >= frame["left"] + GUTTER_PIXELS
            assert look["width"] < frame["width"]
            assert look["edge"] != frame["edge"]
            assert look["shadow"] != frame["shadow"]
