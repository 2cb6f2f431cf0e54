/** Documents that are zips of XML parts (DOCX, XLSX, PPTX, OpenDocument, EPUB), and RTF. */
@NullMarked
package io.agentworkspace.engine.memory.documents.extract.office;

import org.jspecify.annotations.NullMarked;
