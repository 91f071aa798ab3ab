# The lists of the part `lists`, of a million orders.
list_orders=1000000
# shellcheck source=lists.sh
. "$bench/parts/lists.sh"
