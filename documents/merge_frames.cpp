#include "documents/merge_frames.hpp"

#include <algorithm>
#include <cstdint>
#include <istream>
#include <limits>
#include <ostream>
#include <utility>

namespace waybill::documents {
namespace {

constexpr char pdf_kind = 'P';
constexpr char png_kind = 'I';
constexpr char test_pdf_kind = 'p';
constexpr char test_png_kind = 'i';
constexpr char end_kind = 'E';
constexpr char begun_kind = 'L';
constexpr char unprintable_kind = 'U';
constexpr char reason_kind = 'T';
constexpr char merged_kind = 'M';

FrameHead head_of(char kind, std::size_t number) {
  if (number > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("the frame is too large");
  return {kind, static_cast<char>(number >> 24U), static_cast<char>(number >> 16U),
          static_cast<char>(number >> 8U), static_cast<char>(number)};
}

std::size_t number_of(std::string_view head) {
  std::size_t number = 0;
  for (std::size_t i = 1; i < std::tuple_size_v<FrameHead>; ++i)
    number = number << 8U | static_cast<unsigned char>(head[i]);
  return number;
}

void write_head(std::ostream& stream, char kind, std::size_t number) {
  const FrameHead head = head_of(kind, number);
  stream.write(head.data(), head.size());
}

void write_text(std::ostream& stream, char kind, std::string_view text) {
  write_head(stream, kind, text.size());
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
}

bool is_reason(std::string_view text) {
  constexpr std::size_t longest = 200;
  const auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
  return text.size() <= longest && std::ranges::all_of(text, is_printable);
}

/// Takes frames from an answer.
class Frames {
 public:
  explicit Frames(std::string_view left) : left_(left) {}

  bool next() {
    constexpr std::size_t size = std::tuple_size_v<FrameHead>;
    if (left_.size() < size) return false;
    kind_ = left_[0];
    number_ = number_of(left_);
    left_.remove_prefix(size);
    return true;
  }
  /// The bytes of a frame that has some; nullopt if they are not complete.
  std::optional<std::string_view> bytes() {
    if (left_.size() < number_) return std::nullopt;
    const auto bytes = left_.substr(0, number_);
    left_.remove_prefix(number_);
    return bytes;
  }

  char kind() const { return kind_; }
  std::size_t number() const { return number_; }

 private:
  std::string_view left_;
  char kind_ = 0;
  std::size_t number_ = 0;
};

}  // namespace

FrameHead label_head(const LabelFile& label) {
  const bool is_png = label.format == FileFormat::png;
  const char test_kind = is_png ? test_png_kind : test_pdf_kind;
  return head_of(label.is_test ? test_kind : is_png ? png_kind : pdf_kind, label.bytes.size());
}

FrameHead end_of_labels() { return head_of(end_kind, 0); }

std::vector<LabelFile> read_labels(std::istream& request) {
  std::vector<LabelFile> labels;
  std::size_t left = largest_merge;
  while (true) {
    FrameHead head{};
    if (!request.read(head.data(), head.size())) throw BadFrame("the request is not complete");
    const std::size_t size = number_of({head.data(), head.size()});
    if (head[0] == end_kind) return labels;
    const bool is_png = head[0] == png_kind || head[0] == test_png_kind;
    const bool is_test = head[0] == test_pdf_kind || head[0] == test_png_kind;
    if (!is_png && !is_test && head[0] != pdf_kind) throw BadFrame("the request has an unknown frame");
    if (size > left || labels.size() == most_merged_labels) throw BadFrame("the request is too large");
    left -= size;
    LabelFile& label = labels.emplace_back();
    label.format = is_png ? FileFormat::png : FileFormat::pdf;
    label.is_test = is_test;
    label.bytes.resize(size);
    if (!request.read(label.bytes.data(), static_cast<std::streamsize>(size)))
      throw BadFrame("the request is not complete");
  }
}

void AnswerWriter::begin(std::size_t label) {
  write_head(answer_, begun_kind, label);
  answer_.flush();
}

void AnswerWriter::refuse(std::size_t label, std::string_view reason) {
  write_head(answer_, unprintable_kind, label);
  write_text(answer_, reason_kind, reason);
}

void AnswerWriter::finish(std::string_view pdf) {
  write_text(answer_, merged_kind, pdf);
  answer_.flush();
}

MergeAnswer read_answer(std::string_view answer, std::size_t labels) {
  MergeAnswer read;
  Frames frames(answer);
  while (frames.next()) {
    const char kind = frames.kind();
    if (kind == begun_kind && frames.number() <= labels) {
      read.last_begun = frames.number();
    } else if (kind == unprintable_kind && frames.number() < labels) {
      const std::size_t label = frames.number();
      if (!frames.next() || frames.kind() != reason_kind) break;
      const auto reason = frames.bytes();
      if (!reason || !is_reason(*reason)) break;
      read.unprintable.push_back({.label = label, .reason = std::string(*reason)});
    } else {
      if (kind == merged_kind) {
        if (const auto pdf = frames.bytes()) read.pdf = std::string(*pdf);
      }
      break;
    }
  }
  return read;
}

}  // namespace waybill::documents
