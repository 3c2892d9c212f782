"""What every harness must answer; a new folder is checked here without being named."""

import pytest
from tackroom.harnesses.contract import Facts
from tackroom.packages import findings
from tackroom.packages.formats import VENDORS
from tackroom.packages.model import Kind

from making import artifact, write
from tackroom import docs, harnesses  # noqa: F401 - docs imports every finding

KINDS = (Kind.COMMAND, Kind.AGENT, Kind.SKILL, Kind.RULE)
EVERY = harnesses.ids()


def facts(harness: str) -> Facts:
    return harnesses.get(harness).facts


def test_the_folder_listing_is_the_registry() -> None:
    assert len(EVERY) == 7
    assert set(VENDORS.values()) <= set(EVERY)


@pytest.mark.parametrize("harness", EVERY)
def test_every_kind_has_a_slot_a_header_and_a_writer(harness: str) -> None:
    found = harnesses.get(harness)
    for kind in KINDS:
        assert found.facts.slots_for(kind), kind
    for slot in found.facts.slots:
        assert slot.becomes in found.facts.headers, slot
        assert (slot.kind, slot.becomes) in found.write, slot
        assert "{name}" in slot.path


@pytest.mark.parametrize("harness", EVERY)
def test_a_sample_of_every_kind_is_staged_at_its_place(harness: str) -> None:
    for kind in KINDS:
        staged, _ = write(harness, artifact(kind, "---\nname: sample\ndescription: A sample.\n---\nDo it.\n"))
        places = {slot.place("sample") for slot in facts(harness).slots_for(kind)}
        assert places <= set(staged)


@pytest.mark.parametrize("harness", EVERY)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe\x00",
        b"---\n---\n",
        b"---\nname: [a\n---\nx",
        b"\xef\xbb\xbf---\nname: x\n---\n",
        b"a" * 400_000,
    ],
    ids=["empty", "not-utf-8", "empty-header", "broken-header", "bom", "large"],
)
def test_whatever_a_file_holds_the_writer_gives_a_result(harness: str, kind: Kind, content: bytes) -> None:
    staged, lines = write(harness, artifact(kind, content))
    assert staged or any("body-not-text" in line for line in lines)


@pytest.mark.parametrize("harness", EVERY)
def test_fields_that_a_harness_knows_are_named_once(harness: str) -> None:
    for kind, header in facts(harness).headers.items():
        names = [each.name for each in header.fields]
        assert len(set(names)) == len(names), kind


@pytest.mark.parametrize("harness", EVERY)
def test_a_field_of_the_source_is_kept_or_said(harness: str) -> None:
    fields = {
        "effort": "high",
        "permissionMode": "plan",
        "maxTurns": "7",
        "memory": "user",
        "isolation": "worktree",
    }
    text = (
        "---\nname: sample\ndescription: A sample.\n"
        + "".join(f"{k}: {v}\n" for k, v in fields.items())
        + "---\nx"
    )
    staged, lines = write(harness, artifact(Kind.AGENT, text))
    written = b"\n".join(
        content for path, content in staged.items() if not path.startswith("skills/")
    ).decode()
    for field, value in fields.items():
        assert f"'{field}'" in "\n".join(lines) or value in written, field


def test_every_finding_says_what_it_means_for_the_generated_page() -> None:
    assert len(findings.CATALOGUE) > 40
    assert all(
        isinstance(each.severity, findings.Severity) and each.about for each in findings.CATALOGUE.values()
    )
