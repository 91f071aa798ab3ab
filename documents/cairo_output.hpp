#pragma once

#include <cairo.h>
#include <new>
#include <string>

namespace waybill::documents {

/// Appends what a surface writes to the std::string `bytes`. A cairo_write_func_t.
inline cairo_status_t append(void* bytes, const unsigned char* data, unsigned size) {
  try {
    static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), size);
  } catch (const std::bad_alloc&) {
    return CAIRO_STATUS_NO_MEMORY;
  }
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace waybill::documents
