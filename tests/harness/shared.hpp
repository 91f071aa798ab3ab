#pragma once

#include <functional>
#include <memory>

namespace waybill::tests {

/// Keeps an object until the last test has run. Objects are released in reverse order, before the cluster
/// stops.
void keep_until_end(std::shared_ptr<void> object);
void release_shared();

/// The one T of this test process, created on first use: for objects that are slow to start.
template <class T>
T& shared() {
  static T* instance = nullptr;
  if (instance == nullptr) {
    auto made = std::make_shared<T>();
    instance = made.get();
    keep_until_end(std::move(made));
  }
  return *instance;
}

}  // namespace waybill::tests
