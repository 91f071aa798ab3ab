#include "tests/documents/label_files.hpp"

#include <cairo.h>
#include <utility>

#include "documents/qpdf.hpp"

namespace waybill::tests {
namespace {

std::string text_of(const Buffer& buffer) {
  return {reinterpret_cast<const char*>(buffer.getBuffer()), buffer.getSize()};
}

std::string written(QPDF& pdf, bool is_encrypted = false) {
  QPDFWriter writer(pdf);
  writer.setOutputMemory();
  writer.setStreamDataMode(qpdf_s_preserve);
  if (is_encrypted)
    writer.setR6EncryptionParameters("", "owner", true, true, true, true, true, true, qpdf_r3p_none, true);
  writer.write();
  return text_of(*writer.getBufferSharedPointer());
}

QPDFObjectHandle add_page(QPDF& pdf, int width) {
  auto page = QPDFObjectHandle::parse("<< /Type /Page /Resources << >> >>");
  page.replaceKey("/MediaBox", QPDFObjectHandle::parse("[0 0 " + std::to_string(width) + " 432]"));
  page.replaceKey("/Contents", pdf.newStream("% a label\n"));
  page = pdf.makeIndirectObject(page);
  pdf.addPage(page, false);
  return page;
}

/// Compresses so many MiB of blanks, after `before`.
std::string compressed_blanks(const std::string& before, std::size_t mebibytes) {
  const std::string mebibyte(std::size_t{1} << 20U, ' ');
  Pl_Buffer buffer("result");
  Pl_Flate flate("flate", &buffer, Pl_Flate::a_deflate);
  flate.write(reinterpret_cast<const unsigned char*>(before.data()), before.size());
  for (std::size_t i = 0; i < mebibytes; ++i)
    flate.write(reinterpret_cast<const unsigned char*>(mebibyte.data()), mebibyte.size());
  flate.finish();
  return text_of(*buffer.getBufferSharedPointer());
}

std::string compressed(const std::string& bytes) { return compressed_blanks(bytes, 0); }

cairo_status_t append(void* bytes, const unsigned char* data, unsigned size) {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), size);
  return CAIRO_STATUS_SUCCESS;
}

/// The entry of a cross-reference stream with fields of 1, 4 and 1 bytes.
std::string entry(char type, std::size_t value, char third = 0) {
  return {type,
          static_cast<char>(value >> 24U),
          static_cast<char>(value >> 16U),
          static_cast<char>(value >> 8U),
          static_cast<char>(value),
          third};
}

}  // namespace

std::string pdf_of_pages(const std::vector<int>& widths) {
  QPDF pdf;
  pdf.emptyPDF();
  for (const int width : widths) add_page(pdf, width);
  return written(pdf);
}

std::vector<int> page_widths(const std::string& bytes) {
  QPDF pdf;
  pdf.processMemoryFile("result", bytes.data(), bytes.size());
  std::vector<int> widths;
  for (auto page : pdf.getAllPages()) {
    const auto box = page.getKey("/MediaBox").getArrayAsRectangle();
    widths.push_back(static_cast<int>(box.urx - box.llx + 0.5));
  }
  return widths;
}

std::string png_of(int width, int height) {
  auto* const surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
  std::string png;
  cairo_surface_write_to_png_stream(surface, append, &png);
  cairo_surface_destroy(surface);
  return png;
}

std::string encrypted_pdf() {
  QPDF pdf;
  pdf.emptyPDF();
  add_page(pdf, 288);
  return written(pdf, true);
}

std::string deep_pdf(std::size_t objects) {
  QPDF pdf;
  pdf.emptyPDF();
  auto page = add_page(pdf, 288);
  auto last = pdf.makeIndirectObject(QPDFObjectHandle::newDictionary());
  for (std::size_t i = 0; i < objects; ++i) {
    auto link = QPDFObjectHandle::newDictionary();
    link.replaceKey("/Next", last);
    last = pdf.makeIndirectObject(link);
  }
  page.getKey("/Resources").replaceKey("/Font", last);
  return written(pdf);
}

std::string pdf_with_nested_contents(std::size_t mebibytes) {
  QPDF pdf;
  pdf.emptyPDF();
  auto page = add_page(pdf, 288);
  // The innermost stream ends after its first bytes, and a reader drops the blanks.
  constexpr std::size_t of_one = 512;
  const auto bomb = compressed(compressed_blanks(compressed("% a label\n"), of_one));
  auto contents = QPDFObjectHandle::newArray();
  for (std::size_t made = 0; made < mebibytes; made += of_one) {
    auto stream = pdf.newStream(bomb);
    stream.getDict().replaceKey("/Filter",
                                QPDFObjectHandle::parse("[/FlateDecode /FlateDecode /FlateDecode]"));
    contents.appendItem(stream);
  }
  page.replaceKey("/Contents", contents);
  return written(pdf);
}

std::string pdf_with_large_object_stream(std::size_t mebibytes) {
  // Objects 1 and 2 are in the stream 4, and the page 3 is a usual object.
  const std::string first = "<< /Type /Catalog /Pages 2 0 R >> ";
  const std::string second = "<< /Type /Pages /Count 1 /Kids [3 0 R] >> ";
  const std::string index = "1 0 2 " + std::to_string(first.size()) + " ";
  const std::string packed = compressed_blanks(index + first + second, mebibytes);
  std::string pdf = "%PDF-1.5\n";
  const std::size_t page = pdf.size();
  pdf += "3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 288 432] >> endobj\n";
  const std::size_t stream = pdf.size();
  pdf += "4 0 obj << /Type /ObjStm /N 2 /First " + std::to_string(index.size()) + " /Length " +
         std::to_string(packed.size()) + " /Filter /FlateDecode >> stream\n" + packed +
         "\nendstream endobj\n";
  const std::size_t table = pdf.size();
  const std::string entries =
      entry(0, 0) + entry(2, 4, 0) + entry(2, 4, 1) + entry(1, page) + entry(1, stream) + entry(1, table);
  pdf += "5 0 obj << /Type /XRef /Size 6 /W [1 4 1] /Root 1 0 R /Length " + std::to_string(entries.size()) +
         " >> stream\n" + entries + "\nendstream endobj\nstartxref\n" + std::to_string(table) + "\n%%EOF\n";
  return pdf;
}

}  // namespace waybill::tests
