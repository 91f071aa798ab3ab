#include "documents/label_pages.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "documents/png_page.hpp"
#include "documents/qpdf.hpp"

namespace waybill::documents {
namespace {

constexpr auto damaged = "has a damaged label";

/// `bytes` outlives the PDF.
void open(QPDF& pdf, const std::string& bytes) {
  pdf.setSuppressWarnings(true);
  pdf.processMemoryFile("label", bytes.data(), bytes.size());
}

std::string written(QPDF& pdf) {
  QPDFWriter writer(pdf);
  writer.setOutputMemory();
  writer.setStreamDataMode(qpdf_s_preserve);
  writer.setDecodeLevel(qpdf_dl_none);
  writer.setObjectStreamMode(qpdf_o_disable);  // old printers read no object streams
  writer.setMinimumPDFVersion("1.7");
  writer.setDeterministicID(true);
  writer.write();
  const auto buffer = writer.getBufferSharedPointer();
  return {reinterpret_cast<const char*>(buffer->getBuffer()), buffer->getSize()};
}

/// Counts what a stream decodes to, and ends the decoding at a limit.
class Counter : public Pipeline {
 public:
  Counter() : Pipeline("counter", nullptr) {}

  void write(const unsigned char*, std::size_t size) override {
    count_ += size;
    if (is_exceeded()) throw std::runtime_error("the limit is exceeded");
  }
  void finish() override {}

  bool is_exceeded() const { return count_ > most_decoded_bytes; }

 private:
  std::uint64_t count_ = 0;
};

/// The word TEST as lines across a page, because a page need not have a font.
std::string test_mark(const QPDFObjectHandle::Rectangle& page) {
  constexpr double letters_width = 4.9, letters_height = 1.4;
  constexpr double share = 0.8;  // of the page
  constexpr std::string_view letters =
      "0 1.4 m 1 1.4 l S 0.5 1.4 m 0.5 0 l S "
      "2.3 1.4 m 1.3 1.4 l 1.3 0 l 2.3 0 l S 1.3 0.7 m 2.1 0.7 l S "
      "3.6 1.4 m 2.6 1.4 l 2.6 0.7 l 3.6 0.7 l 3.6 0 l 2.6 0 l S "
      "3.9 1.4 m 4.9 1.4 l S 4.4 1.4 m 4.4 0 l S";
  const double width = page.urx - page.llx, height = page.ury - page.lly;
  const double scale = share * std::min(width / letters_width, height / letters_height);
  const auto number = [](double value) { return std::to_string(value) + " "; };
  return "q " + number(scale) + "0 0 " + number(scale) +
         number(page.llx + (width - letters_width * scale) / 2) +
         number(page.lly + (height - letters_height * scale) / 2) + "cm 0.6 G 0.12 w 1 J 1 j " +
         std::string(letters) + " Q\n";
}

/// Copies pages of a foreign PDF. Both PDFs outlive it.
class PageCopier {
 public:
  PageCopier(QPDF& source, QPDF& target, bool is_test)
      : source_(source), target_(target), is_test_(is_test) {}

  void add(const QPDFObjectHandle& page) {
    QPDFPageObjectHelper from(page);
    auto copy = QPDFObjectHandle::newDictionary();
    copy.replaceKey("/Type", QPDFObjectHandle::newName("/Page"));
    auto media_box = from.getAttribute("/MediaBox", false);
    if (!is_page_box(media_box)) throw UnprintableLabel("has a label with a page without a size");
    copy.replaceKey("/MediaBox", QPDFObjectHandle::newFromRectangle(media_box.getArrayAsRectangle()));
    auto crop_box = from.getAttribute("/CropBox", false);
    if (is_page_box(crop_box))
      copy.replaceKey("/CropBox", QPDFObjectHandle::newFromRectangle(crop_box.getArrayAsRectangle()));
    auto rotation = from.getAttribute("/Rotate", false);
    if (rotation.isInteger() && rotation.getIntValue() % 90 == 0)
      copy.replaceKey("/Rotate", QPDFObjectHandle::newInteger(rotation.getIntValue() % 360));
    auto original = from.getObjectHandle();
    auto unit = original.getKey("/UserUnit");
    if (unit.isNumber()) copy.replaceKey("/UserUnit", QPDFObjectHandle::newReal(unit.getNumericValue()));
    copy.replaceKey("/Resources", resources_of(from));
    auto contents = original.getKey("/Contents");
    if (contents.isStream() || contents.isArray()) copy.replaceKey("/Contents", copied(contents));
    if (is_test_) mark(copy, is_page_box(crop_box) ? crop_box : media_box);
    auto group = original.getKey("/Group");
    if (group.isDictionary()) copy.replaceKey("/Group", copied(group));
    target_.addPage(target_.makeIndirectObject(copy), false);
  }

 private:
  /// The largest page of ISO 32000-1, annex C, in points.
  static constexpr double largest_side = 14'400;

  static bool is_page_box(QPDFObjectHandle box) {
    if (!box.isRectangle()) return false;
    const auto rectangle = box.getArrayAsRectangle();
    const double width = rectangle.urx - rectangle.llx;
    const double height = rectangle.ury - rectangle.lly;
    return width >= 1 && height >= 1 && width <= largest_side && height <= largest_side;
  }

  QPDFObjectHandle resources_of(QPDFPageObjectHelper& page) {
    auto copy = QPDFObjectHandle::newDictionary();
    auto resources = page.getAttribute("/Resources", false);
    if (!resources.isDictionary()) return copy;
    for (const auto* const kind :
         {"/Font", "/XObject", "/ExtGState", "/ColorSpace", "/Pattern", "/Shading", "/Properties"}) {
      auto value = resources.getKey(kind);
      if (value.isDictionary()) copy.replaceKey(kind, copied(value));
    }
    return copy;
  }

  /// Puts the mark of a test over the contents, whose state of the graphics ends before it.
  void mark(QPDFObjectHandle& page, QPDFObjectHandle box) {
    auto contents = page.getKey("/Contents");
    std::vector<QPDFObjectHandle> parts{target_.newStream("q\n")};
    if (contents.isStream()) parts.push_back(contents);
    if (contents.isArray()) {
      for (const auto& part : contents.getArrayAsVector()) parts.push_back(part);
    }
    parts.push_back(target_.newStream("\nQ\n" + test_mark(box.getArrayAsRectangle())));
    page.replaceKey("/Contents", QPDFObjectHandle::newArray(parts));
  }

  /// qpdf copies indirect objects only. It copies each once, and no page that an object leads to.
  QPDFObjectHandle copied(QPDFObjectHandle value) {
    if (!value.isIndirect()) value = source_.makeIndirectObject(value);
    return target_.copyForeignObject(value);
  }

  QPDF& source_;
  QPDF& target_;
  const bool is_test_;
};

/// Removes from all streams what is not needed to show them, such as the reference to a file that has their
/// data, and decodes them once: a viewer could not show what cannot be decoded, and would decode a bomb.
void check_streams(QPDF& pdf) {
  Counter counter;
  for (auto& object : pdf.getAllObjects()) {
    if (!object.isStream()) continue;
    auto dictionary = object.getDict();
    for (const auto* const key : {"/F", "/FFilter", "/FDecodeParms", "/Ref", "/OPI", "/Alternates", "/AF",
                                  "/Metadata", "/PieceInfo"}) {
      dictionary.removeKey(key);
    }
    bool is_decoded = false;
    const bool is_sound = object.pipeStreamData(&counter, &is_decoded, 0, qpdf_dl_specialized, true, false);
    if (counter.is_exceeded()) {
      throw UnprintableLabel("has a label with more than " + std::to_string(most_decoded_bytes >> 20U) +
                             " MiB of contents");
    }
    if (!is_sound) throw UnprintableLabel(damaged);
  }
}

void refuse_many_pages(std::uint64_t count) {
  if (count > most_pages)
    throw UnprintableLabel("has a label of more than " + std::to_string(most_pages) + " pages");
}

std::string pages_of_pdf(const std::string& bytes, bool is_test) {
  QPDF source;
  open(source, bytes);
  // Its author restricted printing or copying, and qpdf would drop the restriction.
  if (source.isEncrypted()) throw UnprintableLabel("has an encrypted label");
  // A repaired file may have lost pages. The number is checked first, because counting pages takes time.
  auto count = source.getRoot().getKey("/Pages").getKey("/Count");
  if (!count.isInteger() || count.getIntValue() < 1) throw UnprintableLabel(damaged);
  refuse_many_pages(static_cast<std::uint64_t>(count.getIntValue()));
  const auto& pages = source.getAllPages();
  refuse_many_pages(pages.size());
  if (pages.size() != static_cast<std::uint64_t>(count.getIntValue())) throw UnprintableLabel(damaged);

  QPDF target;
  target.emptyPDF();
  target.setSuppressWarnings(true);
  PageCopier copier(source, target, is_test);
  for (const auto& page : pages) copier.add(page);
  check_streams(target);
  return written(target);
}

}  // namespace

std::string printable_pages(const LabelFile& label) {
  if (label.bytes.size() > largest_label_file)
    throw UnprintableLabel("has a label of more than " + std::to_string(largest_label_file >> 20U) + " MiB");
  try {
    return pages_of_pdf(label.format == FileFormat::png ? png_page(label.bytes) : label.bytes, label.is_test);
  } catch (const UnprintableLabel&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const QPDFExc& error) {
    throw UnprintableLabel(error.getErrorCode() == qpdf_e_password ? "has an encrypted label" : damaged);
  } catch (const std::exception&) {
    throw UnprintableLabel(damaged);
  }
}

std::string merge_pages(const std::vector<std::string>& pdfs) {
  std::vector<std::unique_ptr<QPDF>> sources;  // the target reads their streams when it is written
  QPDF target;
  target.emptyPDF();
  for (const std::string& bytes : pdfs) {
    auto& source = *sources.emplace_back(std::make_unique<QPDF>());
    open(source, bytes);
    for (const auto& page : source.getAllPages()) target.addPage(page, false);
  }
  return written(target);
}

}  // namespace waybill::documents
