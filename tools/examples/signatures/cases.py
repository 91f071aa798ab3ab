# Prints the sample's verdict on each case: cases.py CASES, where sample.py is in the working folder.
import sys

sys.path.insert(0, ".")
from sample import verify

with open(sys.argv[1], encoding="utf-8") as cases:
    for line in cases:
        _, secret, id, timestamp, signature, body = line.rstrip("\n").split("\t")
        with open(body, "rb") as file:
            print(str(verify(secret, id, timestamp, signature, file.read())).lower())
