#include "worker/outcomes/lock_limit.hpp"

#include <utility>

namespace waybill::worker {
namespace {

constexpr const char* usual = "reset lock_timeout";
constexpr const char* contended = "set lock_timeout = '50ms'";
constexpr const char* single = "set lock_timeout = '100ms'";
constexpr const char* further = "set lock_timeout = '1ms'";

}  // namespace

void LockLimit::connected() { set_by_ = usual; }

const char* LockLimit::next_statement(bool is_single, bool any_set_aside) {
  const char* const of_single = has_met_lock_ ? further : single;
  const char* const of_several = any_set_aside ? contended : usual;
  const char* const wanted = is_single ? of_single : of_several;
  return std::exchange(set_by_, wanted) == wanted ? nullptr : wanted;
}

}  // namespace waybill::worker
