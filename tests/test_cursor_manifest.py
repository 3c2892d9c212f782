"""A Cursor plugin's manifest and the marketplace: what is copied, what is made, what would be refused."""

from __future__ import annotations

import json

import pytest
from tackroom.harnesses.contract import Bundle, Fragment, Staged
from tackroom.packages import discovery
from tackroom.packages.findings import render
from tackroom.packages.package import Package, Source

from making import tree
from tackroom import harnesses

FACTS = harnesses.get("cursor").facts
OWN = {"name": "kit", "author": {"name": "Ann"}, "homepage": "https://a.example/kit", "skills": "./skills/"}


def package(files: dict[str, object]) -> Package:
    made = {path: each if isinstance(each, str) else json.dumps(each) for path, each in files.items()}
    return discovery.read(Source(id="kit", tree=tree(made)))


def manifest(files: dict[str, object]) -> tuple[dict[str, bytes], list[str], list[Fragment]]:
    found = list(harnesses.get("cursor").package(Bundle(package(files), "kit", FACTS)))
    out = {
        each.path: each.content if isinstance(each.content, bytes) else each.content.load()
        for each in found
        if isinstance(each, Staged)
    }
    rest = [each for each in found if not isinstance(each, Staged)]
    lines = [render(each) for each in rest if not isinstance(each, Fragment)]
    return out, lines, [each for each in rest if isinstance(each, Fragment)]


def test_the_packages_own_manifest_is_copied():
    own = json.dumps(OWN | {"tags": ["a"], "hooks": "./hooks/hooks.json"}, indent=4)
    out, lines, _ = manifest({".cursor-plugin/plugin.json": own})
    assert out == {".cursor-plugin/plugin.json": own.encode()}
    assert lines == []


@pytest.mark.parametrize(
    "declared",
    [{"skills": ["./x/"]}, {"rules": "./.cursor/rules"}, {"hooks": {"hooks": {}}}, {"mcpServers": {"x": {}}}],
)
def test_declared_places_would_replace_the_ones_of_the_bundle(declared: dict[str, object]):
    out, lines, _ = manifest({".cursor-plugin/plugin.json": OWN | declared})
    kept = {key: OWN[key] for key in ("name", "author", "homepage")}
    assert json.loads(out[".cursor-plugin/plugin.json"]) == kept
    assert lines == []


def test_another_formats_manifest_says_who_made_the_package():
    theirs = {"name": "Kit", "version": "1.0", "author": "Ann", "keywords": ["a"], "commands": "./cmds/"}
    out, _, _ = manifest({".claude-plugin/plugin.json": theirs})
    assert out[".cursor-plugin/plugin.json"] == (
        b'{\n  "name": "kit",\n  "version": "1.0",\n  "author": {\n    "name": "Ann"\n  },\n'
        b'  "keywords": [\n    "a"\n  ]\n}\n'
    )


@pytest.mark.parametrize(
    ("key", "value", "shown"),
    [
        ("repository", "owner/repo", "owner/repo"),
        ("homepage", "www.a.example", "www.a.example"),
        ("repository", {"url": "x"}, '{\n  "url": "x"\n}'),
        ("version", 1, "1"),
        ("keywords", "a, b", "a, b"),
        ("author", {"name": "Ann", "email": "ann"}, '{\n  "name": "Ann",\n  "email": "ann"\n}'),
    ],
)
def test_one_refused_field_would_cost_the_whole_manifest(key: str, value: object, shown: str):
    out, lines, _ = manifest({".cursor-plugin/plugin.json": {"name": "kit", key: value}})
    shown = shown.replace("\n", "\\n")
    assert json.loads(out[".cursor-plugin/plugin.json"]) == {"name": "kit"}
    assert lines == [
        f"warning: value-dropped: .cursor-plugin/plugin.json: '{shown}' is no '{key}' there; left out"
    ]


@pytest.mark.parametrize("name", ["kit", "a-1", "1"])
def test_a_plugins_name_is_one_that_manifest_and_marketplace_both_take(name: str):
    assert FACTS.plugin_name.why_not(name) == ""


@pytest.mark.parametrize("name", ["Kit", "a.b", "-a", "a-", "a b", "a_b"])
def test_another_name_is_no_plugins(name: str):
    assert FACTS.plugin_name.why_not(name)


def test_the_logo_comes_along_unless_it_is_a_component():
    out, _, _ = manifest(
        {".cursor-plugin/plugin.json": OWN | {"logo": "./a/logo.svg"}, "a/logo.svg": "<svg/>"}
    )
    assert out["a/logo.svg"] == b"<svg/>"
    hostile = {".cursor-plugin/plugin.json": OWN | {"logo": "hooks/hooks.json"}, "hooks/hooks.json": "{}"}
    assert set(manifest(hostile)[0]) == {".cursor-plugin/plugin.json"}


def test_files_that_texts_refer_to_come_along():
    files = {"commands/go.md": "Run ${CURSOR_PLUGIN_ROOT}/bin/go.sh\n", "bin/go.sh": "#!/bin/sh\n"}
    assert manifest(files)[0]["bin/go.sh"] == b"#!/bin/sh\n"


def test_the_marketplace_lists_every_plugin():
    rows = [
        *manifest({".cursor-plugin/plugin.json": OWN | {"description": "A kit."}})[2],
        Fragment(".cursor-plugin/marketplace.json", "other", {"name": "other", "source": "other"}),
    ]
    found = harnesses.get("cursor").merge(".cursor-plugin/marketplace.json", tuple(rows))
    assert found.path == ".cursor-plugin/marketplace.json"
    assert json.loads(found.content) == {
        "name": "tackroom",
        "owner": {"name": "tackroom"},
        "plugins": [
            {"name": "kit", "source": "kit", "description": "A kit."},
            {"name": "other", "source": "other"},
        ],
    }
