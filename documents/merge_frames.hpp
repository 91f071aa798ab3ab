#pragma once

#include <array>
#include <cstddef>
#include <iosfwd>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "documents/label_file.hpp"

// The conversation with a process that merges labels. A frame is a kind (one byte), a number (4 bytes, the
// highest first) and, for some kinds, so many bytes as the number says.
//
//   request: P size bytes   a label that is a PDF
//            I size bytes   a label that is a PNG
//            p, i size bytes   a test label that is a PDF, a PNG
//            E 0            the end
//   answer:  L label        the label of this place is read; with their number, all are merged
//            U label, T size bytes   it cannot be printed, for this reason
//            M size bytes   the last frame: the merged PDF, or none if a label cannot be printed
namespace waybill::documents {

using FrameHead = std::array<char, 5>;

/// A request that is not complete, or larger than `largest_merge` allows.
class BadFrame : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The head of a label's frame, which the label's bytes follow. Throws std::length_error for a label above 4
/// GiB.
FrameHead label_head(const LabelFile& label);
FrameHead end_of_labels();
/// Reads a request. A label may be larger than `largest_label_file`, but not the request than all together.
/// Throws BadFrame.
std::vector<LabelFile> read_labels(std::istream& request);

/// Writes an answer. It is flushed as `begin` returns, so that it tells where a process died.
class AnswerWriter {
 public:
  explicit AnswerWriter(std::ostream& answer) : answer_(answer) {}

  void begin(std::size_t label);
  void refuse(std::size_t label, std::string_view reason);
  void finish(std::string_view pdf);

 private:
  std::ostream& answer_;
};

/// The answer of a process until its end.
struct MergeAnswer {
  std::optional<std::size_t> last_begun;
  std::vector<Unprintable> unprintable;
  std::optional<std::string> pdf;

  bool operator==(const MergeAnswer&) const = default;
};

/// Reads the answer to a request of so many labels as far as it goes. Nothing of it is trusted: it ends at a
/// frame that is incomplete, unknown, names another label, or has a reason that is not a short ASCII text.
MergeAnswer read_answer(std::string_view answer, std::size_t labels);

}  // namespace waybill::documents
