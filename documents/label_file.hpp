#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace waybill::documents {

/// The largest label, and the largest set of labels that is merged, in bytes.
inline constexpr std::size_t largest_label_file = std::size_t{10} << 20U;
inline constexpr std::size_t largest_merge = std::size_t{50} << 20U;
inline constexpr std::size_t most_merged_labels = 100;

enum class FileFormat : std::uint8_t { pdf, png };

/// A label as its maker gave it. Nothing of `bytes` is trusted.
struct LabelFile {
  FileFormat format = FileFormat::pdf;
  std::string bytes;
  bool is_test = false;  // has TEST across its pages once it is printed

  bool operator==(const LabelFile&) const = default;
};

/// The reason why a label cannot be printed: the end of a sentence that begins with the shipment, such as
/// "has an encrypted label".
class UnprintableLabel : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A label of a set that cannot be printed.
struct Unprintable {
  std::size_t label = 0;  // its place in the set, from 0
  std::string reason;     // as that of UnprintableLabel

  bool operator==(const Unprintable&) const = default;
};

/// The result of a merge. Without `pdf` and `unprintable`, all labels can be printed, but not together: the
/// PDF would be larger than `largest_merge`, or it needs more memory or time than there is.
struct MergedLabels {
  std::string pdf;  // empty unless all labels are in it
  std::vector<Unprintable> unprintable;

  bool operator==(const MergedLabels&) const = default;
};

}  // namespace waybill::documents
