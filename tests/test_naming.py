import re

from hypothesis import example, given, settings
from hypothesis import strategies as st
from tackroom.harnesses.contract import Facts, HeaderFact, NameRule, Shape, Slot
from tackroom.packages.findings import render
from tackroom.packages.model import Artifact, Kind
from tackroom.packages.names import illegal, portable, same

from making import artifact
from tackroom import naming

SKILLS = "skills/{name}/SKILL.md"


def facts(*slots: Slot, **more: object) -> Facts:
    headers = dict.fromkeys(Kind, HeaderFact())
    return Facts("alpha", "Alpha", Shape.TREE, slots, headers, **more)  # type: ignore[arg-type]


# everything is a skill there, as in a harness that knows nothing else
ALL_SKILLS = facts(
    *(Slot(kind, Kind.SKILL, SKILLS, "skills") for kind in (Kind.SKILL, Kind.COMMAND, Kind.AGENT, Kind.RULE))
)
NESTED = facts(Slot(Kind.COMMAND, Kind.COMMAND, "commands/{name}.md", "commands", nested=True))


def named(artifacts: list[Artifact], found: Facts) -> list[str]:
    return [f"{each.kind} {each.name}" for each in naming.within(artifacts, found)]


def test_a_converted_artifact_keeps_its_name() -> None:
    assert named([artifact("command", "Do it.", name="review")], ALL_SKILLS) == ["command review"]


def test_within_a_package_the_skill_keeps_the_name_and_the_others_say_what_they_were() -> None:
    made = [artifact(kind, "x", name="review") for kind in ("rule", "command", "agent", "skill")]
    assert named(made, ALL_SKILLS) == [
        "skill review",
        "command review-command",
        "agent review-agent",
        "rule review-rule",
    ]


def test_then_numbers_follow() -> None:
    made = [artifact("skill", "x", name=name) for name in ("review", "review-command")]
    made += [artifact("command", "x", name=name) for name in ("review", "Review")]
    assert named(made, ALL_SKILLS) == [
        "skill review",
        "skill review-command",
        "command review-command-2",
        "command Review-command-3",
    ]


def test_two_skills_of_one_name_are_numbered() -> None:
    made = [artifact("skill", "x", name="lint", path=f"skills/{group}/lint/SKILL.md") for group in "ab"]
    assert named(made, ALL_SKILLS) == ["skill lint", "skill lint-2"]


def test_the_finding_says_who_has_the_name() -> None:
    made = [artifact("skill", "x", name="review"), artifact("command", "x", name="review")]
    findings = naming.within(made, ALL_SKILLS)[1].findings
    assert [render(each) for each in findings] == [
        "warning: name-taken: skill 'review' exists; staged as 'review-command'"
    ]


def across(rows: dict[str, tuple[naming.Named, ...]], found: Facts) -> dict[str, tuple[naming.Named, ...]]:
    return naming.across({package: naming.claims(each, found) for package, each in rows.items()}, found)


def test_between_packages_the_first_listed_keeps_the_name() -> None:
    rows = {
        package: naming.within([artifact("skill", "x", name="lint")], ALL_SKILLS)
        for package in ("one", "two", "two.extra")
    }
    found = across(rows, ALL_SKILLS)
    assert {package: row[0].name for package, row in found.items()} == {
        "two": "lint-two",
        "two.extra": "lint-two.extra",
    }
    assert [render(each) for each in found["two"][0].findings] == [
        "warning: name-taken: skill 'lint' of 'one' exists; staged as 'lint-two'"
    ]


def test_a_name_stays_legal_and_short_enough_with_a_packages_name_behind_it() -> None:
    rule = NameRule(illegal=re.compile("[^a-z0-9-]+"), lower=True)
    found = facts(Slot(Kind.AGENT, Kind.AGENT, "agents/{name}.md", "agents", names=rule))
    made = naming.within([artifact("agent", "x", name="lint")], found)
    rows = across({"one": made, "Two.extra": made, "k" * 300: made}, found)
    assert rows["Two.extra"][0].name == "lint-two-extra"
    assert len(rows["k" * 300][0].name) == 215


def test_the_contenders_of_a_name_are_listed_in_order() -> None:
    rows = {
        package: naming.within([artifact("skill", "x", name="lint")], ALL_SKILLS) for package in ("a", "b")
    }
    claims = {package: naming.claims(each, ALL_SKILLS) for package, each in rows.items()}
    assert naming.contests(claims) == {
        "skills/lint": "a skills/lint/SKILL.md lint\nb skills/lint/SKILL.md lint"
    }


def test_nested_names_stay_nested_where_the_harness_nests_them() -> None:
    made = [artifact("command", "x", name="git/commit"), artifact("command", "x", name="git/Commit")]
    assert named(made, NESTED) == ["command git/commit", "command git/Commit-2"]


def test_a_name_that_the_harness_reads_specially_counts_as_taken() -> None:
    found = facts(*NESTED.slots, taken={"commands": frozenset({"skill"})})
    first = naming.within([artifact("command", "x", name="Skill")], found)[0]
    assert (first.name, first.renamed) == ("Skill-2", True)
    assert render(first.findings[0]) == (
        "warning: name-taken: a 'Skill' of Alpha's own exists; staged as 'Skill-2'"
    )


def test_a_name_that_is_illegal_there_is_changed_and_said() -> None:
    rule = NameRule(illegal=re.compile("[^a-z0-9-]+"), lower=True, limit=12)
    found = facts(Slot(Kind.AGENT, Kind.AGENT, "agents/{name}.md", "agents", names=rule))
    made = [artifact("agent", "x", name=name) for name in ("Net 4.8", "a-very-long-name")]
    assert [each.name for each in naming.within(made, found)] == ["net-4-8", "a-v-1ec025b7"]
    assert render(naming.within(made, found)[0].findings[0]) == (
        "warning: name-changed: 'Net 4.8' may not hold capitals there; staged as 'net-4-8'"
    )


def test_where_the_header_names_an_artifact_two_of_one_header_name_clash() -> None:
    found = facts(Slot(Kind.AGENT, Kind.AGENT, "agents/{name}.md", "agents", by_header=True))
    made = [artifact("agent", "---\nname: reviewer\n---\nx", name=name) for name in ("a", "b")]
    assert [(each.name, each.renamed) for each in naming.within(made, found)] == [("a", False), ("b", True)]


def folders(manifests: list[tuple[str, str]], rule: NameRule = NameRule()) -> list[str]:
    return [name for name, _ in naming.folders(dict(manifests), facts(plugin_name=rule)).values()]


def test_a_package_is_called_what_its_manifest_says_where_that_is_legal_and_free() -> None:
    rule = NameRule(illegal=re.compile("[^a-z-]+"))
    given = [("one", "kit"), ("two", "kit"), ("three", "a kit"), ("a.b", ""), ("a-b", "")]
    assert folders(given, rule) == ["kit", "two", "three", "a-b", "a-b-2"]


@given(st.lists(st.tuples(st.sampled_from(list(Kind)[:4]), st.text(min_size=1, max_size=8)), max_size=12))
def test_names_in_a_pool_differ_on_every_system_and_are_legal(rows: list[tuple[Kind, str]]) -> None:
    made = [artifact(kind, "x", name=name.replace("/", "-") or "x") for kind, name in rows]
    found = [each.name for each in naming.within(made, ALL_SKILLS)]
    assert len({same(name) for name in found}) == len(found) == len(rows)
    assert not any(illegal(name) for name in found)


# everything contests with everything there, by file and by header
CONTESTED = facts(
    Slot(Kind.SKILL, Kind.SKILL, SKILLS, "names", by_header=True, names=NameRule(alike=re.compile("_"))),
    Slot(Kind.COMMAND, Kind.SKILL, SKILLS, "names"),
    Slot(Kind.COMMAND, Kind.COMMAND, "commands/{name}.md", "names", nested=True, taken=frozenset({"c"})),
    Slot(Kind.AGENT, Kind.AGENT, "agents/{name}.md", "names", by_header=True, names=NameRule(lower=True)),
    taken={"names": frozenset({"help"})},
)
WORDS = st.sampled_from(["a", "A", "b", "_b", "c", "help", "a-one", "a-two", "b-two", "a-command", "x/a"])
MANY = st.lists(
    st.tuples(st.sampled_from(["skill", "command", "agent"]), WORDS, st.just("") | WORDS), max_size=5
)


def many(rows: list[tuple[str, str, str]], found: Facts) -> tuple[naming.Named, ...]:
    made = [
        artifact(kind, f"---\nname: {header}\n---\nx" if header else "x", name=name, path=f"{kind}s/{at}.md")
        for at, (kind, name, header) in enumerate(rows)
    ]
    return naming.within(made, found)


def one_by_one(rows: dict[str, tuple[naming.Named, ...]], found: Facts) -> dict[str, list[naming.Named]]:
    """Settle each row of each package against all that came before it."""
    pools = naming.Pools(found)
    return {
        package: [naming._settle(each, f"-{portable(package)}", f" of '{package}'", pools) for each in named]
        for package, named in rows.items()
    }


@settings(deadline=None, max_examples=400)
@given(st.lists(MANY, min_size=2, max_size=4))
@example([[("skill", "a", "b")], [("skill", "a", "c")], [("skill", "x", "c")], [("skill", "y", "c")]])
def test_names_settled_in_bulk_are_those_settled_one_by_one(
    packages: list[list[tuple[str, str, str]]],
) -> None:
    ids = ("one", "two", "three", "four")
    rows = {package: many(each, CONTESTED) for package, each in zip(ids, packages, strict=False)}
    others = {
        package: {(row.kind, row.path, row.slot): row for row in settled}
        for package, settled in across(rows, CONTESTED).items()
    }
    final = {
        package: [others.get(package, {}).get((row.kind, row.path, row.slot), row) for row in named]
        for package, named in rows.items()
    }
    assert final == one_by_one(rows, CONTESTED)
