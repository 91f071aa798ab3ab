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

/// An object of a C library, given to `release` at the end: Owned<EVP_PKEY, EVP_PKEY_free>.
template <class T, auto release>
using Owned = std::unique_ptr<T, FreeWith<release>>;

}  // namespace waybill
