"""NumPy integers as Arrow arrays.

Arrow's own constructor first looks whether it was given a pandas object, and imports pandas for
that: half a second for a process that does not use it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa


def array_of(values: npt.NDArray[np.int64] | npt.NDArray[np.int32]) -> pa.Array:
    """`values` without a copy, where they are contiguous."""
    held = np.ascontiguousarray(values)
    kind = pa.int64() if held.itemsize == np.int64().itemsize else pa.int32()
    return pa.Array.from_buffers(kind, held.size, [None, pa.py_buffer(held)])
