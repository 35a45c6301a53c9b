"""TrainingBillExplorer: the bill is 6 N D, paid by the hour; devices change the days and not the dollars."""

import pytest
from explorers import drive

from attnlab.costs import MODELS
from widgets.explorers.l12_cost.training_bill import BUILT, SIZES, TrainingBillExplorer


def test_every_control():
    drive(TrainingBillExplorer())


def test_the_bill():
    bill = TrainingBillExplorer(parameters=100, ratio=20.0, speed=101, devices=512, rent=2.0).bill
    assert bill.flops == 6 * 10**11 * 2 * 10**12
    assert bill.hours == pytest.approx(bill.flops / 1.01e14 / 3600 / 512)
    assert bill.dollars == pytest.approx(2 * 512 * bill.hours)


def test_devices_change_the_days_and_not_the_dollars():
    explorer = TrainingBillExplorer(devices=8)
    few = explorer.bill
    explorer.devices = 64
    assert explorer.bill.dollars == pytest.approx(few.dollars)
    assert explorer.bill.hours == pytest.approx(few.hours / 8)


def test_gopher_lies_at_its_own_price():
    explorer = TrainingBillExplorer(parameters=280)
    dollars = dict(zip(BUILT, explorer.bill.built, strict=True))
    assert dollars["Gopher"] == pytest.approx(3_768_320, rel=0.01), "37 TFLOP/s is what one of its chips did"
    gopher = MODELS["Gopher"]
    assert explorer.bill.dollars / dollars["Gopher"] == pytest.approx(20 * 280e9 / gopher.tokens, rel=0.01)


def test_ten_times_the_model_costs_a_hundred_times_as_much():
    low, high = TrainingBillExplorer().bill.line
    assert high / low == pytest.approx((SIZES[1] / SIZES[0]) ** 2)


def test_one_of_anything():
    explorer = TrainingBillExplorer(devices=1)
    assert "one such device works for" in repr(explorer)
    explorer.change(parameters=1, ratio=0.5, speed=1001, devices=4096, rent=1.3)
    assert "4096 such devices work for 1 second, 1 dollar." in repr(explorer)
    explorer.change(devices=32768, rent=0.1)
    assert "work for less than a second, less than a dollar." in repr(explorer)
