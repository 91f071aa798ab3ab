#include "tests/harness/shared.hpp"

#include <utility>
#include <vector>

namespace waybill::tests {
namespace {

std::vector<std::shared_ptr<void>>& objects() {
  static std::vector<std::shared_ptr<void>> kept_objects;
  return kept_objects;
}

}  // namespace

void keep_until_end(std::shared_ptr<void> object) { objects().push_back(std::move(object)); }

void release_shared() {
  while (!objects().empty()) objects().pop_back();
}

}  // namespace waybill::tests
