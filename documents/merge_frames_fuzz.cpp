#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "documents/merge_frames.hpp"

// A request is refused or within its limits; an answer names no other labels than those of the request.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace waybill::documents;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try {
    std::istringstream stream(bytes);
    if (read_labels(stream).size() > most_merged_labels) std::abort();
  } catch (const BadFrame&) {
  }
  constexpr std::size_t labels = 3;
  for (const Unprintable& label : read_answer(bytes, labels).unprintable) {
    if (label.label >= labels) std::abort();
  }
  return 0;
}
