#include "base/free_memory.hpp"

#include <malloc.h>
#include <mimalloc.h>

// Defined only in a program that has mimalloc as its allocator.
#pragma weak mi_collect
#pragma weak mi_option_set
#pragma weak mi_option_get

namespace waybill {

void release_free_memory() {
  if (mi_collect != nullptr) {
    mi_collect(true);
  } else {
    ::malloc_trim(0);
  }
}

void return_memory_at_once(bool at_once) {
  if (mi_option_set == nullptr || mi_option_get == nullptr) return;
  static const long usual_delay = mi_option_get(mi_option_decommit_delay);  // milliseconds
  mi_option_set(mi_option_decommit_delay, at_once ? 0 : usual_delay);
}

}  // namespace waybill
