"""Buttons, selects, modals and commands of the sandbox, with the real discord.py."""

from datetime import UTC, datetime, timedelta
from typing import Any

import discord
import pytest
from discord import ui

from assent.demo.discord_sandbox import InteractionStatus, Message, NotPossible
from assent.demo.discord_sandbox.interactions import FAILED
from tests.channels.discord.bots import Bot, eventually, running
from tests.channels.discord.conftest import Place


def buttons() -> ui.View:
    view = ui.View(timeout=None)
    view.add_item(ui.Button(label="Accept", custom_id="accept", style=discord.ButtonStyle.green))
    view.add_item(ui.Button(label="Later", custom_id="later", disabled=True))
    view.add_item(ui.Button(label="Review", url="https://example.org/review"))
    options = [discord.SelectOption(label="One", value="1"), discord.SelectOption(label="Two")]
    view.add_item(ui.Select(custom_id="pick", placeholder="Which?", options=options))
    return view


class Form(ui.Modal, title="A form"):
    reason = ui.Label(text="Reason", component=ui.TextInput(custom_id="reason", required=False))
    colour = ui.Label(
        text="Colour",
        component=ui.Select(custom_id="colour", options=[discord.SelectOption(label="Red")]),
    )


async def card(bot: Bot, place: Place) -> Message:
    """Post a message with buttons, as the bot, and return it as Ada sees it."""
    channel = bot.get_channel(place.general.id)
    assert isinstance(channel, discord.TextChannel)
    await channel.send("Please decide", view=buttons())
    [message] = place.ada.messages(place.general)
    return message


async def test_a_press_reaches_the_bot_which_changes_the_message(place: Place):
    async def answer(interaction: discord.Interaction) -> None:
        await interaction.response.edit_message(content="Accepted", view=None)

    async with running(Bot(), place.sandbox) as bot:
        bot.answer = answer
        message = await card(bot, place)
        pressed = await place.ada.settled(place.ada.press(message, "Accept"))

        [heard] = bot.interactions
        assert heard.user.id == place.ada.id
        assert heard.data == {"custom_id": "accept", "component_type": 2, "id": 2}
    assert pressed.status is InteractionStatus.ANSWERED
    assert (message.content, message.components) == ("Accepted", [])


async def test_a_choice_carries_its_values(place: Place):
    async with running(Bot(), place.sandbox) as bot:
        message = await card(bot, place)
        await place.ada.settled(place.ada.choose(message, "Which?", "One"))

        [heard] = bot.interactions
        assert dict(heard.data or {})["values"] == ["1"]


async def test_an_ephemeral_answer_is_seen_by_its_user_alone(place: Place):
    async def answer(interaction: discord.Interaction) -> None:
        await interaction.response.send_message("only you", ephemeral=True)

    async with running(Bot(), place.sandbox) as bot:
        bot.answer = answer
        message = await card(bot, place)
        await place.ada.settled(place.ada.press(message, "Accept"))
        [seen] = place.ada.ephemerals(place.general)
        channel = bot.get_channel(place.general.id)
        assert isinstance(channel, discord.TextChannel)
        with pytest.raises(discord.NotFound):
            await channel.fetch_message(seen.id)

    assert seen.content == "only you"
    assert place.grace.messages(place.general) == [message]


async def test_a_deferred_answer_is_filled_in_later(place: Place):
    async def answer(interaction: discord.Interaction) -> None:
        await interaction.response.defer(ephemeral=True, thinking=True)
        [thinking] = place.ada.ephemerals(place.general)
        assert thinking.is_loading
        await interaction.edit_original_response(content="done")
        await interaction.followup.send("and more", ephemeral=True)

    async with running(Bot(), place.sandbox) as bot:
        bot.answer = answer
        message = await card(bot, place)
        place.ada.press(message, "Accept")
        await place.ada.sees(place.general, lambda each: each.content == "and more")

    assert [each.content for each in place.ada.ephemerals(place.general)] == ["done", "and more"]
    assert bot.problems == []


async def test_a_deferred_update_edits_the_message_with_the_button(place: Place):
    async def answer(interaction: discord.Interaction) -> None:
        await interaction.response.defer()
        await interaction.edit_original_response(content="Accepted", view=None)

    async with running(Bot(), place.sandbox) as bot:
        bot.answer = answer
        message = await card(bot, place)
        place.ada.press(message, "Accept")
        await place.ada.sees(place.general, lambda each: each.content == "Accepted")

    assert message.content == "Accepted"


async def test_a_modal_opens_for_its_user_and_brings_back_what_they_entered(place: Place):
    entered: dict[str, Any] = {}

    class Asking(Form):
        async def on_submit(self, interaction: discord.Interaction) -> None:
            assert isinstance(self.reason.component, ui.TextInput)
            assert isinstance(self.colour.component, ui.Select)
            entered.update(reason=self.reason.component.value, colour=self.colour.component.values)
            await interaction.response.edit_message(content="Thank you")

    async def answer(interaction: discord.Interaction) -> None:
        if interaction.type is discord.InteractionType.component:
            await interaction.response.send_modal(Asking())

    async with running(Bot(), place.sandbox) as bot:
        bot.answer = answer
        message = await card(bot, place)
        place.ada.press(message, "Accept")
        modal = await place.ada.sees_modal()
        assert (modal.title, place.grace.modal) == ("A form", None)
        with pytest.raises(NotPossible, match="'Colour' is required"):
            place.ada.submit({"Reason": "because"})
        await place.ada.settled(place.ada.submit({"Reason": "because", "Colour": "Red"}))

    assert entered == {"reason": "because", "colour": ["Red"]}
    assert (message.content, place.ada.modal) == ("Thank you", None)


async def test_a_modal_that_gets_no_answer_stays_open_and_says_so(place: Place):
    async def answer(interaction: discord.Interaction) -> None:
        if interaction.type is discord.InteractionType.component:
            await interaction.response.send_modal(Form(timeout=1))

    async with running(Bot(), place.sandbox) as bot:
        bot.answer = answer
        message = await card(bot, place)
        place.ada.press(message, "Accept")
        await place.ada.sees_modal()
        place.sandbox.interactions.answer_seconds = 0.05
        # discord.py answers a submitted modal by itself; a bot that has stopped does not.
        await place.sandbox.gateway.drop(resumable=False, code=4004)
        await place.ada.settled(place.ada.submit({"Colour": "Red"}))

    assert place.ada.modal is not None
    assert place.ada.modal.problem == "Something went wrong. Try again."


async def test_a_modal_can_be_dismissed(place: Place):
    async def answer(interaction: discord.Interaction) -> None:
        await interaction.response.send_modal(Form())

    async with running(Bot(), place.sandbox) as bot:
        bot.answer = answer
        message = await card(bot, place)
        place.ada.press(message, "Accept")
        await place.ada.sees_modal()
        place.ada.dismiss()

    with pytest.raises(NotPossible):
        place.ada.submit({})


async def test_an_interaction_is_answered_once(place: Place):
    async def answer(interaction: discord.Interaction) -> None:
        await interaction.response.defer()
        interaction.response._response_type = None
        await interaction.response.send_message("again")

    async with running(Bot(), place.sandbox) as bot:
        bot.answer = answer
        message = await card(bot, place)
        place.ada.press(message, "Accept")
        [problem] = await eventually(lambda: bot.problems)

    assert isinstance(problem, discord.HTTPException)
    assert (problem.status, problem.code) == (400, 40060)


async def test_a_late_answer_is_refused_and_the_user_was_told(place: Place):
    place.sandbox.interactions.answer_seconds = 0.05

    async def answer(interaction: discord.Interaction) -> None:
        await place.sandbox.world.until(lambda: place.ada.failures or None)
        await interaction.response.defer()

    async with running(Bot(), place.sandbox) as bot:
        bot.answer = answer
        message = await card(bot, place)
        pressed = place.ada.press(message, "Accept")
        [problem] = await eventually(lambda: bot.problems)

    assert pressed.status is InteractionStatus.FAILED
    assert [each.text for each in place.ada.failures] == [FAILED]
    assert isinstance(problem, discord.NotFound)
    assert problem.code == 10062


async def test_a_token_lives_for_fifteen_minutes(place: Place):
    async def answer(interaction: discord.Interaction) -> None:
        await interaction.response.defer()
        place.sandbox.world.now = lambda: datetime.now(UTC) + timedelta(minutes=16)
        await interaction.followup.send("too late")

    async with running(Bot(), place.sandbox) as bot:
        bot.answer = answer
        message = await card(bot, place)
        place.ada.press(message, "Accept")
        [problem] = await eventually(lambda: bot.problems)

    assert isinstance(problem, discord.HTTPException)
    assert (problem.status, problem.code) == (401, 50027)


async def test_a_followup_before_any_answer_is_unknown(place: Place):
    async def answer(interaction: discord.Interaction) -> None:
        await interaction.followup.send("too early")

    async with running(Bot(), place.sandbox) as bot:
        bot.answer = answer
        message = await card(bot, place)
        place.ada.press(message, "Accept")
        [problem] = await eventually(lambda: bot.problems)

    assert isinstance(problem, discord.NotFound)
    assert problem.code == 10015


async def test_an_interaction_may_come_twice(place: Place):
    async with running(Bot(), place.sandbox) as bot:
        message = await card(bot, place)
        pressed = await place.ada.settled(place.ada.press(message, "Accept"))
        place.sandbox.interactions.repeat(pressed)
        await eventually(lambda: len(bot.interactions) == 2 and bot.problems)

    assert {each.id for each in bot.interactions} == {pressed.id}
    assert [getattr(each, "code", None) for each in bot.problems] == [40060]


async def test_people_cannot_press_what_is_not_there(place: Place):
    async with running(Bot(), place.sandbox) as bot:
        message = await card(bot, place)
        for name in ("Later", "Review", "Nothing"):
            with pytest.raises(NotPossible):
                place.ada.press(message, name)
        with pytest.raises(NotPossible):
            place.ada.choose(message, "pick", "Three")
        with pytest.raises(NotPossible):
            place.ada.choose(message, "pick", "One", "Two")
        place.sandbox.world.remove_message(message)
        with pytest.raises(NotPossible):
            place.ada.press(message, "Accept")

    assert bot.interactions == []


async def test_a_command_runs_with_its_options(place: Place):
    async with running(Bot(), place.sandbox) as bot:

        @bot.tree.command(name="link", description="Link your account")
        async def link(interaction: discord.Interaction, code: str) -> None:
            await interaction.response.send_message(f"linked with {code}", ephemeral=True)

        await bot.tree.sync()
        with pytest.raises(NotPossible):
            place.ada.command(place.general, "link")
        await place.ada.settled(place.ada.command(place.general, "link", code="0451"))

    assert [each.content for each in place.ada.ephemerals(place.general)] == ["linked with 0451"]


async def test_a_command_group_runs_its_subcommands(place: Place):
    async with running(Bot(), place.sandbox) as bot:
        group = discord.app_commands.Group(name="inbox", description="What waits for you")

        @group.command(name="show", description="Show it")
        async def show(interaction: discord.Interaction) -> None:
            await interaction.response.send_message("nothing", ephemeral=True)

        bot.tree.add_command(group)
        await bot.tree.sync()
        await place.ada.settled(place.ada.command(place.general, "inbox show"))

    assert [each.content for each in place.ada.ephemerals(place.general)] == ["nothing"]


async def test_interactions_in_direct_messages_have_no_guild(place: Place):
    async with running(Bot(), place.sandbox) as bot:
        user = await bot.fetch_user(place.ada.id)
        await user.send("Please decide", view=buttons())
        direct = place.sandbox.world.direct_channel(place.ada.user)
        [message] = place.ada.messages(direct)
        await place.ada.settled(place.ada.press(message, "Accept"))

        [heard] = bot.interactions
        assert (heard.guild, heard.user.id) == (None, place.ada.id)
