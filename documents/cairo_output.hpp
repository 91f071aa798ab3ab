#pragma once

#include <cairo.h>
#include <new>
#include <stdexcept>
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

/// Throws the error of a surface or context: std::bad_alloc, or std::runtime_error with cairo's message.
inline void check(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  if (status == CAIRO_STATUS_NO_MEMORY) throw std::bad_alloc();
  throw std::runtime_error(std::string("cairo: ") + cairo_status_to_string(status));
}

}  // namespace waybill::documents
