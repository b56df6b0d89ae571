import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from overtone import errors
from overtone.errors import SettingError, require_choice, require_count, require_real


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (errors.DataError, ValueError),
        (errors.SettingError, ValueError),
        (errors.UnknownIdError, LookupError),
        (errors.ModelFileError, ValueError),
        (errors.DatasetError, OSError),
    ],
)
def test_each_error_is_of_the_family_and_of_the_builtin_that_people_catch(kind, builtin):
    assert issubclass(kind, errors.OvertoneError)
    assert issubclass(kind, builtin)


@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(-50, 50))
def test_a_count_passes_just_where_it_is_within_its_bounds(value, least, most):
    if least <= value <= most:
        assert require_count("k", value, least, most) == value
    else:
        with pytest.raises(SettingError, match=rf"^k must be in {least}\.\.{most}, not {value}$"):
            require_count("k", value, least, most)


@pytest.mark.parametrize("value", [1.0, "3", True, None, Fraction(3), math.nan, [1]])
def test_a_count_that_is_no_whole_number_is_named(value):
    with pytest.raises(SettingError, match=r"^n must be a whole number at least 1, not "):
        require_count("n", value, 1)


def test_a_count_of_numpy_comes_back_as_an_int():
    assert type(require_count("n", np.int32(3), 1)) is int


def test_a_count_below_its_only_bound_is_refused():
    with pytest.raises(SettingError, match=r"^n must be at least 1, not 0$"):
        require_count("n", 0, 1)


def test_a_choice_names_what_there_is():
    assert require_choice("gain", "linear", ("exponential", "linear")) == "linear"
    with pytest.raises(SettingError, match=r"^gain must be one of exponential, linear, not 'log'$"):
        require_choice("gain", "log", ("exponential", "linear"))


@given(st.floats(allow_nan=True, allow_infinity=True), st.floats(-10, 10), st.booleans())
def test_a_real_passes_just_where_it_is_finite_and_within_its_bound(value, least, open_below):
    if math.isfinite(value) and (value > least if open_below else value >= least):
        assert require_real("mu", value, least, open_below=open_below) == value
    else:
        with pytest.raises(SettingError, match=r"^mu must be a finite number "):
            require_real("mu", value, least, open_below=open_below)


def test_minus_infinity_is_not_finite_even_where_there_is_no_bound():
    with pytest.raises(SettingError, match="finite"):
        require_real("relevant", -math.inf, -math.inf)


@pytest.mark.parametrize("value", ["1.5", True, None, 1j, [1.0]])
def test_a_real_that_is_no_number_is_named(value):
    with pytest.raises(SettingError, match=r"^mu must be a number above 0, not "):
        require_real("mu", value, 0.0, open_below=True)
