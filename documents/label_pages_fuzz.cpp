#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>

#include "documents/label_pages.hpp"

// The first byte chooses the format. A label is refused, or its pages can be merged.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace waybill::documents;
  if (size == 0) return 0;
  const LabelFile label{.format = data[0] % 2 == 0 ? FileFormat::pdf : FileFormat::png,
                        .bytes = std::string(reinterpret_cast<const char*>(data) + 1, size - 1)};
  try {
    const auto pages = printable_pages(label);
    if (merge_pages({pages, pages}).empty()) std::abort();
  } catch (const UnprintableLabel&) {
  } catch (const std::bad_alloc&) {
  }
  return 0;
}
