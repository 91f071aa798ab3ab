#pragma once

// The headers of qpdf for this folder and for tests. Before 11.4, clang refuses qpdf/JSON.hh as C++20
// (github.com/qpdf/qpdf/issues/942), and the other headers only need the name of the class.
#include <qpdf/DLL.h>
#if QPDF_MAJOR_VERSION == 11 && QPDF_MINOR_VERSION < 4
#define JSON_HH
class JSON;
#endif

// Without it, qpdf 11 warns of pointers that nothing here uses.
#define POINTERHOLDER_TRANSITION 4

#include <qpdf/Buffer.hh>
#include <qpdf/Pipeline.hh>
#include <qpdf/Pl_Buffer.hh>
#include <qpdf/Pl_Flate.hh>
#include <qpdf/QPDF.hh>
#include <qpdf/QPDFExc.hh>
#include <qpdf/QPDFObjectHandle.hh>
#include <qpdf/QPDFPageObjectHelper.hh>
#include <qpdf/QPDFWriter.hh>
