"""Makes the user and the tokens with which waybill uses Karrio, once its database is migrated.

KARRIO_TOKEN and KARRIO_TEST_TOKEN are the keys: `key_` and 32 hexadecimal digits. A key that is not given makes no token. A key
that has changed replaces the former one."""

import os
import re
import sys

import django

django.setup()

from django.contrib.auth import get_user_model  # noqa: E402
from django.db import transaction  # noqa: E402
from karrio.server.user.models import Token  # noqa: E402

email = "waybill@localhost"
keys = {"KARRIO_TOKEN": False, "KARRIO_TEST_TOKEN": True}

with transaction.atomic():
    users = get_user_model().objects
    # Without a password, nobody can log in.
    user = users.filter(email=email).first() or users.create_superuser(email, None)
    for name, test_mode in keys.items():
        key = os.environ.get(name, "")
        if key and not re.fullmatch("key_[0-9a-f]{32}", key):
            sys.exit(f'{name} must be "key_" and 32 hexadecimal digits')
        Token.objects.filter(user=user, test_mode=test_mode).exclude(key=key).delete()
        if key:
            Token.objects.get_or_create(key=key, defaults={"user": user, "test_mode": test_mode})
