"""Makes the user of the tests and a token for each mode; runs in Karrio's shell."""

from django.contrib.auth import get_user_model
from karrio.server.user.models import Token

user = get_user_model().objects.create_superuser("tests@waybill.example", "supersecret")
for test_mode in (False, True):
    Token.objects.create(user=user, test_mode=test_mode)
