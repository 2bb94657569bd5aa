# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight.autograd import detect_anomaly as detect_anomaly
from rushlight.autograd import set_detect_anomaly as set_detect_anomaly
