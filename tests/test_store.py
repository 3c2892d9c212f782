"""Real git repositories, made in a temporary folder, into a cache of their own."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from tackroom.packages.errors import TackroomError
from tackroom.packages.model import File, Link, Submodule
from tackroom.packages.store import Store, default_root

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

ABSENT = "0" * 39 + "1"


class Remote:
    """A repository that packages come from."""

    def __init__(self, path: Path, *options: str):
        self.path = path
        subprocess.run(["git", "init", "-q", "-b", "main", *options, path], check=True)

    @property
    def url(self):
        return self.path.as_uri()

    def git(self, *arguments, stdin=None):
        who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
        command = ["git", "-C", self.path, *who, *arguments]
        return subprocess.run(command, check=True, capture_output=True, input=stdin).stdout.decode().strip()

    def commit(self, files: dict[str, str]):
        for path, content in files.items():
            (self.path / path).parent.mkdir(parents=True, exist_ok=True)
            (self.path / path).write_text(content, newline="")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x", "--allow-empty")
        return self.git("rev-parse", "HEAD")


@pytest.fixture(autouse=True)
def only_our_git(tmp_path, monkeypatch):
    """No settings of whoever runs the tests."""
    for name in [each for each in os.environ if each.startswith("GIT_")]:
        monkeypatch.delenv(name)
    config = tmp_path / "gitconfig"
    config.write_text("")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def remote(tmp_path):
    return Remote(tmp_path / "remote")


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "cache")


def refuse_ids(tmp_path):
    """Speak the old protocol, in which a server gives out the tips of branches and tags alone."""
    (tmp_path / "gitconfig").write_text("[protocol]\nversion = 0\n")


# --- what a revision is ----------------------------------------------------------------------------


def test_a_branch_a_tag_and_the_default_branch_resolve_to_commits(remote, store):
    first = remote.commit({"a": "1"})
    remote.git("tag", "light")
    remote.git("tag", "-a", "-m", "x", "heavy")
    second = remote.commit({"a": "2"})
    remote.git("branch", "feature/x", first)

    assert store.resolve(remote.url, "main") == second
    assert store.resolve(remote.url, "") == second
    assert store.resolve(remote.url, "HEAD") == second
    assert store.resolve(remote.url, "feature/x") == first
    assert store.resolve(remote.url, "light") == first
    assert store.resolve(remote.url, "heavy") == first
    assert store.resolve(remote.url, "refs/tags/heavy") == first


def test_a_branch_wins_over_a_tag_of_the_same_name(remote, store):
    first = remote.commit({"a": "1"})
    remote.git("tag", "v1")
    remote.git("branch", "v1")
    remote.git("switch", "-q", "v1")
    second = remote.commit({"a": "2"})
    assert first != second
    assert store.resolve(remote.url, "v1") == second


def test_a_name_is_not_found_at_the_end_of_another(remote, store):
    remote.commit({"a": "1"})
    remote.git("branch", "old/stable")
    with pytest.raises(TackroomError) as error:
        store.resolve(remote.url, "stable")
    assert str(error.value) == f"no branch or tag 'stable' in '{remote.url}'; did you mean 'old/stable'"


def test_a_whole_commit_needs_no_network(store):
    assert store.resolve("https://example.invalid/x", "AB" * 20) == "ab" * 20
    assert not store.root.exists()


def test_a_revision_is_resolved_once(remote, store):
    first = remote.commit({"a": "1"})
    assert store.resolve(remote.url, "main") == first
    second = remote.commit({"a": "2"})
    assert store.resolve(remote.url, "main") == first
    assert Store(store.root).resolve(remote.url, "main") == second


def test_an_unknown_name_is_answered_with_the_nearest(remote, store):
    remote.commit({"a": "1"})
    with pytest.raises(TackroomError) as error:
        store.resolve(remote.url, "mian")
    assert str(error.value) == f"no branch or tag 'mian' in '{remote.url}'; did you mean 'main'"


def test_a_short_commit_is_told_apart_from_a_name(remote, store):
    commit = remote.commit({"a": "1"})
    with pytest.raises(TackroomError) as error:
        store.resolve(remote.url, commit[:7])
    expected = f"no branch or tag '{commit[:7]}' in '{remote.url}'; a commit needs all its 40 digits"
    assert str(error.value) == expected


def test_a_repository_without_commits_has_no_default_branch(remote, store):
    with pytest.raises(TackroomError) as error:
        store.resolve(remote.url, "")
    expected = f"'{remote.url}' has no default branch; name a branch, tag or commit with rev:"
    assert str(error.value) == expected


def test_a_remote_that_is_not_there(tmp_path, store):
    url = (tmp_path / "nothing").as_uri()
    with pytest.raises(TackroomError) as error:
        store.resolve(url, "main")
    path = tmp_path / "nothing"
    assert str(error.value) == f"'{url}' cannot be read: '{path}' does not appear to be a git repository"


# --- what is fetched -------------------------------------------------------------------------------


def test_a_fetched_commit_is_there_and_alone(remote, store):
    remote.commit({"a": "1"})
    commit = remote.commit({"a": "2"})
    assert not store.has(remote.url, commit)
    store.fetch(remote.url, commit)

    assert store.has(remote.url, commit)
    [repository] = (store.root / "git").glob("*-sha1")
    log = ["git", "-C", repository, "log", "--format=%H", commit]
    assert subprocess.check_output(log).decode().split() == [commit]


def test_a_commit_that_no_branch_leads_to_any_more(remote, store):
    old = remote.commit({"a": "1"})
    remote.git("commit", "-q", "--amend", "-m", "rewritten")
    store.fetch(remote.url, old, "main")
    assert store.tree(remote.url, old).file("a").load() == b"1"


def test_a_second_commit_comes_into_the_same_repository(remote, store):
    first = remote.commit({"a": "1"})
    store.fetch(remote.url, first, "main")
    second = remote.commit({"a": "2"})
    store.fetch(remote.url, second, "main")
    assert store.tree(remote.url, first).file("a").load() == b"1"
    assert store.tree(remote.url, second).file("a").load() == b"2"
    assert len(list((store.root / "git").glob("*-sha1"))) == 1


def test_collecting_garbage_keeps_what_was_fetched(remote, store):
    commit = remote.commit({"a": "1"})
    store.fetch(remote.url, commit)
    [repository] = (store.root / "git").glob("*-sha1")
    subprocess.run(["git", "-C", repository, "gc", "-q", "--prune=now"], check=True)
    assert store.has(remote.url, commit)
    assert store.tree(remote.url, commit).file("a").load() == b"1"


@pytest.mark.parametrize("rev", ["", "main", "heavy"])
def test_a_server_that_gives_out_no_commit_by_its_id(remote, store, tmp_path, rev):
    refuse_ids(tmp_path)
    commit = remote.commit({"a": "1"})
    remote.git("tag", "-a", "-m", "x", "heavy")
    remote.commit({"a": "2"})
    store.fetch(remote.url, commit, rev)
    assert store.tree(remote.url, commit).file("a").load() == b"1"


def test_the_commit_of_a_tag_comes_alone_from_such_a_server_too(remote, store, tmp_path):
    refuse_ids(tmp_path)
    remote.commit({"a": "1"})
    commit = remote.commit({"a": "2"})
    remote.git("tag", "-a", "-m", "x", "heavy")
    remote.commit({"a": "3"})
    store.fetch(remote.url, commit, "heavy")
    [repository] = (store.root / "git").glob("*-sha1")
    log = ["git", "-C", repository, "log", "--all", "--format=%H"]
    assert subprocess.check_output(log).decode().split() == [commit]


def test_everything_is_fetched_after_something_was(remote, store, tmp_path):
    first = remote.commit({"a": "1"})
    middle = remote.commit({"a": "2"})
    last = remote.commit({"a": "3"})
    store.fetch(remote.url, last)
    refuse_ids(tmp_path)
    store.fetch(remote.url, middle, "main")
    store.fetch(remote.url, first, "main")
    assert store.tree(remote.url, middle).file("a").load() == b"2"


@pytest.mark.parametrize("old_protocol", [False, True])
def test_a_commit_that_is_nowhere_is_named(remote, store, tmp_path, old_protocol):
    if old_protocol:
        refuse_ids(tmp_path)
    remote.commit({"a": "1"})
    with pytest.raises(TackroomError) as error:
        store.fetch(remote.url, ABSENT, "main")
    assert str(error.value) == (
        f"'{remote.url}' has no commit '{ABSENT}'; if its history was rewritten, "
        "move the pin with 'tackroom lock --update NAME'"
    )
    assert not store.has(remote.url, ABSENT)


def test_an_id_of_something_else_than_a_commit(remote, store):
    remote.commit({"a": "1"})
    blob = remote.git("rev-parse", "HEAD:a")
    with pytest.raises(TackroomError) as error:
        store.fetch(remote.url, blob)
    assert str(error.value) == f"'{blob}' in '{remote.url}' is a blob, not a commit"


def test_a_repository_whose_ids_are_sha256(tmp_path, store):
    remote = Remote(tmp_path / "remote", "--object-format=sha256")
    commit = remote.commit({"a": "1"})
    assert len(commit) == 64
    store.fetch(remote.url, commit)
    assert store.tree(remote.url, commit).file("a").load() == b"1"


# --- the tree of a commit ---------------------------------------------------------------------------


def test_files_links_modes_and_submodules(remote, store):
    commit = remote.commit({"skills/x/SKILL.md": "skill", "run.sh": "#!/bin/sh\n"})
    target = remote.git("hash-object", "-w", "--stdin", stdin=b"../run.sh")
    remote.git("update-index", "--add", "--cacheinfo", f"120000,{target},skills/run")
    remote.git("update-index", "--chmod=+x", "run.sh")
    remote.git("update-index", "--add", "--cacheinfo", f"160000,{commit},vendor/lib")
    remote.git("commit", "-q", "-m", "x")
    commit_2 = remote.git("rev-parse", "HEAD")
    store.fetch(remote.url, commit_2)
    tree = store.tree(remote.url, commit_2)

    assert tree.nodes == {
        "run.sh": File(remote.git("rev-parse", "HEAD:run.sh"), executable=True, size=10),
        "skills/run": Link("../run.sh"),
        "skills/x/SKILL.md": File(remote.git("rev-parse", "HEAD:skills/x/SKILL.md"), size=5),
        "vendor/lib": Submodule(commit),
    }
    assert tree.file("skills/run").load() == b"#!/bin/sh\n"
    assert tree.id == remote.git("rev-parse", "HEAD^{tree}")


def test_names_that_hold_anything(remote, store):
    names = [
        b"new\nline",
        b"tab\there",
        b'quo"te',
        b"latin-\xe9",
        "\u00fcber".encode(),
        b"-option",
        b"sp ace ",
    ]
    blob = remote.git("hash-object", "-w", "--stdin", stdin=b"x")
    rows = b"".join(f"100644 blob {blob}\t".encode() + name + b"\0" for name in names)
    tree = remote.git("mktree", "-z", stdin=rows)
    commit = remote.git("commit-tree", tree, "-m", "x")
    remote.git("update-ref", "refs/heads/main", commit)
    store.fetch(remote.url, commit)
    found = store.tree(remote.url, commit).nodes
    assert {name.encode(errors="surrogateescape") for name in found} == set(names)
    assert {node.load() for node in found.values()} == {b"x"}


def test_bytes_arrive_as_they_are(remote, store):
    content = bytes(range(256)) * 40_000
    (remote.path / "big").write_bytes(content)
    (remote.path / "empty").write_bytes(b"")
    (remote.path / ".gitattributes").write_text("* text=auto eol=crlf\nlf ident\n")
    (remote.path / "lf").write_bytes(b"$Id$\n\n")
    commit = remote.commit({})
    store.fetch(remote.url, commit)
    tree = store.tree(remote.url, commit)
    assert tree.file("big").load() == content
    assert tree.file("big").size == len(content)
    assert tree.file("empty").load() == b""
    assert tree.file("lf").load() == b"$Id$\n\n"


def test_threads_share_one_reader(remote, store):
    commit = remote.commit({f"f{number}": str(number) * number for number in range(200)})
    store.fetch(remote.url, commit)
    tree = store.tree(remote.url, commit)
    right = []

    def read():
        right.extend(tree.file(f"f{n}").load() == (str(n) * n).encode() for n in range(200))

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert right == [True] * 800


def test_the_tree_id_of_a_folder(remote, store):
    commit = remote.commit({"plugins/a b/x": "1", "y": "2"})
    store.fetch(remote.url, commit)
    assert store.tree_id(remote.url, commit, "plugins/a b") == remote.git("rev-parse", "HEAD:plugins/a b")
    assert store.tree_id(remote.url, commit, "./plugins/") == remote.git("rev-parse", "HEAD:plugins")
    assert store.tree_id(remote.url, commit, "") == remote.git("rev-parse", "HEAD^{tree}")


@pytest.mark.parametrize(
    ("subdir", "message"),
    [
        ("plugin", "there is no folder 'plugin' in '{url}' at {commit}; did you mean 'plugins'"),
        ("zzz", "there is no folder 'zzz' in '{url}' at {commit}"),
        ("plugins/x", "'plugins/x' is not a folder in '{url}' at {commit}"),
        ("lib", "there is no folder 'lib' in '{url}' at {commit}"),
        ("../x", "subdir: '../x' leaves the repository; name a folder inside it"),
        ("x\nHEAD", "subdir: 'x\\nHEAD' holds a character that cannot be printed"),
    ],
)
def test_a_folder_that_is_none(remote, store, subdir, message):
    remote.commit({"plugins/x": "1"})
    remote.git("update-index", "--add", "--cacheinfo", f"160000,{ABSENT},lib")
    remote.git("commit", "-q", "-m", "x")
    commit = remote.git("rev-parse", "HEAD")
    store.fetch(remote.url, commit)
    with pytest.raises(TackroomError) as error:
        store.tree_id(remote.url, commit, subdir)
    assert str(error.value) == message.format(url=remote.url, commit=commit[:7])


def test_a_tree_that_was_not_fetched(remote, store):
    commit = remote.commit({"a": "1"})
    with pytest.raises(TackroomError) as error:
        store.tree(remote.url, commit)
    assert str(error.value) == f"'{remote.url}' at {commit[:7]} is not in the cache; run 'tackroom lock'"


def test_content_that_does_not_arrive(remote, store):
    commit = remote.commit({"a": "1"})
    store.fetch(remote.url, commit)
    file = store.tree(remote.url, commit).file("a")
    [repository] = (store.root / "git").glob("*-sha1")
    shutil.rmtree(repository / "objects")
    (repository / "objects").mkdir()
    again = Store(store.root)
    with pytest.raises(TackroomError, match=r"' cannot be read: "):
        again.tree(remote.url, commit)
    store._readers[repository]._pipes[0].close()
    with pytest.raises(TackroomError) as error:
        file.load()
    assert str(error.value) == (
        f"'{file.key}' did not arrive from the cache; delete '{repository}' and run again"
    )


# --- without a network ------------------------------------------------------------------------------


def test_offline_what_is_in_the_cache_is_enough(remote, store):
    commit = remote.commit({"a": "1"})
    store.fetch(remote.url, commit)
    offline = Store(store.root, offline="OFFLINE=1")
    offline.fetch(remote.url, commit)
    assert offline.tree(remote.url, commit).file("a").load() == b"1"


def test_offline_says_what_would_be_needed(remote, tmp_path):
    offline = Store(tmp_path / "cache", offline="OFFLINE=1")
    commit = remote.commit({"a": "1"})
    with pytest.raises(TackroomError) as error:
        offline.fetch(remote.url, commit)
    assert str(error.value) == (
        f"'{remote.url}' at {commit[:7]} is not in the cache and OFFLINE=1 forbids the network; "
        "run 'tackroom lock' once without it"
    )
    with pytest.raises(TackroomError) as error:
        offline.resolve(remote.url, "")
    assert str(error.value) == (
        f"'{remote.url}': 'HEAD' has to be looked up and OFFLINE=1 forbids the network; "
        "run 'tackroom lock' once without it"
    )
    assert not offline.root.exists()


# --- the cache --------------------------------------------------------------------------------------


def test_the_cache_is_where_the_user_says(monkeypatch, tmp_path):
    monkeypatch.setenv("TACKROOM_CACHE", str(tmp_path))
    assert default_root() == tmp_path
    monkeypatch.setenv("TACKROOM_CACHE", "")
    assert default_root().name == "tackroom"


def test_the_cache_says_what_it_is(remote, store):
    store.fetch(remote.url, remote.commit({"a": "1"}))
    assert "delete it whenever" in (store.root / "README").read_text()


def test_a_cache_that_cannot_be_written(remote, tmp_path):
    (tmp_path / "file").write_text("")
    message = r"^the cache '.*file' cannot be used: .*; TACKROOM_CACHE names another place$"
    with pytest.raises(TackroomError, match=message):
        Store(tmp_path / "file").fetch(remote.url, remote.commit({"a": "1"}))


FETCH = """
import sys
from pathlib import Path
from tackroom.packages.store import Store
store = Store(Path(sys.argv[1]))
store.fetch(sys.argv[2], sys.argv[3])
sys.exit(store.tree(sys.argv[2], sys.argv[3]).file("a").load() != b"1")
"""


def start(store, url, commit):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", FETCH, str(store.root), url, commit]
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE)


def test_two_processes_fill_one_cache(remote, store):
    commit = remote.commit({"a": "1"})
    both = [start(store, remote.url, commit) for _ in range(2)]
    assert [process.communicate()[1] for process in both] == [b"", b""]
    assert [process.returncode for process in both] == [0, 0]


@pytest.mark.skipif(sys.platform == "win32", reason="a slow server is a shell script here")
def test_a_killed_fetch_leaves_nothing_in_the_way(remote, store, tmp_path):
    commit = remote.commit({"a": "1", "big": "x" * 1_000_000})
    hold = tmp_path / "hold"
    hold.write_text("")
    hook = tmp_path / "slow"
    wait = f"touch {tmp_path}/asked; while [ -e {hold} ]; do sleep 0.05; done"
    hook.write_text(f'#!/bin/sh\n{wait}\nexec "$@"\n')
    hook.chmod(0o755)
    (tmp_path / "gitconfig").write_text(f"[uploadpack]\npackObjectsHook = {hook}\n")
    process = start(store, remote.url, commit)
    while process.poll() is None and not (tmp_path / "asked").exists():
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    [repository] = (store.root / "git").glob("*-sha1")
    assert (repository / "shallow.lock").exists()
    assert not store.has(remote.url, commit)

    hold.unlink()
    (repository / "objects/pack/tmp_pack_left").write_bytes(b"half")
    store.fetch(remote.url, commit)
    assert store.tree(remote.url, commit).file("a").load() == b"1"
    assert not (repository / "shallow.lock").exists()
    assert not (repository / "objects/pack/tmp_pack_left").exists()


def test_a_repository_half_made_is_made_again(remote, store):
    commit = remote.commit({"a": "1"})
    store.fetch(remote.url, commit)
    [repository] = (store.root / "git").glob("*-sha1")
    repository.rename(repository.with_name(repository.name + ".new"))
    assert not store.has(remote.url, commit)
    store.fetch(remote.url, commit)
    assert store.has(remote.url, commit)


# --- hostile surroundings ---------------------------------------------------------------------------


def test_variables_of_another_git_do_not_reach_ours(remote, store, tmp_path, monkeypatch):
    commit = remote.commit({"a": "1"})
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"):
        monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_NAMESPACE", "x")
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.bare=nonsense'")
    monkeypatch.setenv("GIT_SHALLOW_FILE", "x")
    assert store.resolve(remote.url, "main") == commit
    store.fetch(remote.url, commit)
    assert store.tree(remote.url, commit).file("a").load() == b"1"
    assert not (tmp_path / "elsewhere").exists()


def test_the_repository_the_user_stands_in_has_no_say(remote, store, tmp_path, monkeypatch):
    commit = remote.commit({"a": "1"})
    here = Remote(tmp_path / "here")
    here.git("config", f"url.{tmp_path}/elsewhere.insteadOf", remote.url)
    monkeypatch.chdir(here.path)
    assert store.resolve(remote.url, "main") == commit
    inside = Store(here.path / "cache")
    assert inside.resolve(remote.url, "main") == commit
    inside.fetch(remote.url, commit)


def test_the_settings_of_the_user_count(remote, store, tmp_path):
    commit = remote.commit({"a": "1"})
    (tmp_path / "gitconfig").write_text(
        f'[url "{tmp_path.as_uri()}/"]\ninsteadOf = https://example.invalid/\n'
    )
    assert store.resolve("https://example.invalid/remote", "main") == commit


def test_hooks_of_the_user_do_not_run_in_the_cache(remote, store, tmp_path):
    commit = remote.commit({"a": "1"})
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    hook = hooks / "reference-transaction"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    (tmp_path / "gitconfig").write_text(f"[core]\nhooksPath = {hooks}\n")
    store.fetch(remote.url, commit)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "url",
    [
        "--upload-pack=touch ran",
        "ext::sh -c 'touch ran'",
        "ssh://-oProxyCommand=touch ran/x",
        "-oProxyCommand=x:y",
    ],
)
def test_an_address_that_pin_would_refuse_runs_nothing_even_so(store, tmp_path, monkeypatch, url):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TackroomError):
        store.resolve(url, "main")
    with pytest.raises(TackroomError):
        store.fetch(url, ABSENT)
    assert not list(tmp_path.rglob("ran"))


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a shell script")
def test_a_program_for_another_kind_of_url_does_not_run(store, tmp_path, monkeypatch):
    program = tmp_path / "git-remote-other"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(TackroomError) as error:
        store.resolve("other::x", "main")
    assert str(error.value) == "'other::x' cannot be read: transport 'other' not allowed"
    assert not (tmp_path / "ran").exists()


def test_the_user_may_allow_fewer_kinds_of_url(remote, store, monkeypatch):
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "https:other")
    with pytest.raises(TackroomError) as error:
        store.resolve(remote.url, "main")
    assert str(error.value) == f"'{remote.url}' cannot be read: transport 'file' not allowed"


def test_a_password_is_never_printed(store):
    with pytest.raises(TackroomError) as error:
        store.resolve("http://user:secret@127.0.0.1:1/x", "main")
    assert str(error.value).startswith("'http://***@127.0.0.1:1/x' cannot be read: unable to access 'http://")
    assert "secret" not in str(error.value)


def test_names_of_branches_that_hold_other_line_ends(remote, store):
    commit = remote.commit({"a": "1"})
    remote.git("branch", "a\u2028b\x85c")
    with pytest.raises(TackroomError, match="no branch or tag 'x'"):
        store.resolve(remote.url, "x")
    assert store.resolve(remote.url, "main") == commit


def test_a_revision_that_is_an_option_is_refused(remote, store):
    with pytest.raises(TackroomError) as error:
        store.resolve(remote.url, "--upload-pack=x")
    assert str(error.value) == "rev: '--upload-pack=x' starts with '-'"


def test_without_git(remote, store, monkeypatch):
    commit = remote.commit({"a": "1"})
    monkeypatch.setenv("PATH", "")
    with pytest.raises(TackroomError) as error:
        store.fetch(remote.url, commit)
    assert str(error.value) == "git is not on PATH; install it to use packages from git repositories"
