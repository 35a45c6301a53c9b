"""Large numbers in words."""

from widgets.base.words import power_of_ten
from widgets.explorers.l12_cost.large_numbers import amount, duration, memory


def test_amounts():
    found = [amount(x) for x in (0, 999, 12_345, 999_400, 999_600, 5_017_600, 12.34e9, 3.2e12)]
    assert found == [
        "0",
        "999",
        "12\u202f345",
        "999\u202f400",
        "1.00 million",
        "5.02 million",
        "12.3 billion",
        "3.20 trillion",
    ]


def test_powers_bytes_and_hours():
    assert power_of_ten(3.14e23) == "3.1 · 10²³"
    assert [memory(x) for x in (500_000, 3e8, 9.66e9, 2.5e12)] == ["0.50 MB", "300 MB", "9.66 GB", "2.50 TB"]
    assert [duration(h) for h in (0.001, 0.5, 3, 100, 1e5, 1e9)] == [
        "4 seconds",
        "30.0 minutes",
        "3.00 hours",
        "4.17 days",
        "11.4 years",
        "114\u202f077 years",
    ]
