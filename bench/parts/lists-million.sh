# The part `lists` with a million orders.
# shellcheck source=lists.sh
. "$bench/parts/lists.sh"
