from tests.contract.test_catalog_pruning_law import *  # noqa
from quacklake.catalog.statements import pruning
_true = pruning._outside
SWAP = {Comparison.EQ: Comparison.LT}
pruning._outside = lambda op, order, least, greatest: _true(SWAP.get(op, op), order, least, greatest)
