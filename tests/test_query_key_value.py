"""The explorers of lesson 04 show what attend gives, whatever number a hand has changed."""

import pytest
from explorers import drive

from widgets.dictionary import DictionaryExplorer
from widgets.five_steps import FiveStepsExplorer
from widgets.query_key_value import QueryKeyValueExplorer
from widgets.regression import RegressionExplorer
from widgets.width import WidthExplorer


@pytest.mark.parametrize("kind", [DictionaryExplorer, QueryKeyValueExplorer, FiveStepsExplorer, WidthExplorer, RegressionExplorer])
def test_explorer(kind):
    drive(kind())
