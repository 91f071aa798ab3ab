#pragma once

#include <memory>

namespace waybill {

template <auto release>
struct FreeWith {
  template <class T>
  void operator()(T* object) const {
    release(object);
  }
};

/// Owns an object of a C library and frees it by `release`: Owned<EVP_PKEY, EVP_PKEY_free>.
template <class T, auto release>
using Owned = std::unique_ptr<T, FreeWith<release>>;

}  // namespace waybill
