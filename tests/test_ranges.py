"""Ranges of versions: which they allow, and what is none."""

import pytest

from tackroom import __version__
from tackroom.ranges import allows


@pytest.mark.parametrize(
    ("wanted", "allowed", "refused"),
    [
        ("~=0.3", "0.3 0.3.7 0.9", "0.2.9 1.0 1"),
        ("~=0.3.1", "0.3.1 0.3.20", "0.3 0.3.0 0.4.0"),
        ("~=1.0", "1 1.0.0 1.9", "0.9 2"),
        ("==0.3", "0.3 0.3.0", "0.3.1"),
        ("==0.3.*", "0.3 0.3.9", "0.4 0.30"),
        ("!=0.3.*", "0.2 0.4", "0.3 0.3.1"),
        ("!=0.3.1", "0.3 0.3.2", "0.3.1 0.3.1.0"),
        (">=0.3,<0.5", "0.3 0.4.9", "0.2.9 0.5 0.5.0"),
        (" > 0.3 , <= 1 ", "0.3.1 1 1.0", "0.3 0.3.0 1.0.1"),
        (">=0.9", "0.10", "0.8.99"),
    ],
)
def test_a_range_allows_what_pep_440_says(wanted, allowed, refused):
    assert [each for each in allowed.split() if not allows(wanted, each)] == []
    assert [each for each in refused.split() if allows(wanted, each)] == []


@pytest.mark.parametrize(
    "wanted",
    [
        "",
        "0.3",
        "=0.3",
        "=>0.3",
        "~=1",
        "~=0.3.*",
        ">=0.3.*",
        "==0.3*",
        ">=0.3,",
        "===0.3",
        ">=x",
        ">=0.3rc1",
    ],
)
def test_what_is_no_range_is_refused(wanted):
    with pytest.raises(ValueError, match="not a range"):
        allows(wanted, "0.3")


def test_a_wrong_part_is_refused_after_one_that_already_fails():
    with pytest.raises(ValueError, match="nonsense"):
        allows(">=9,nonsense", "0.3")


@pytest.mark.parametrize("version", ["0.3.0rc1", "0.3.0.dev4", "0.3.0+local"])
def test_a_suffix_of_the_running_version_counts_as_its_release(version):
    assert allows("==0.3.0", version)


def test_the_running_version_can_be_compared():
    assert allows(f"=={__version__}", __version__)
