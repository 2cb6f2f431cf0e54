package io.agentworkspace.engine.memory.documents.extract;

import io.agentworkspace.engine.model.document.DocumentReason.Code;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.zip.ZipException;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import javax.xml.stream.util.StreamReaderDelegate;
import org.apache.commons.compress.archivers.zip.ZipFile;

/** The zip file of a DOCX, and its XML. Only the required parts are unpacked, within limits. */
final class DocxPackage implements AutoCloseable {
    private static final String TYPES = "[Content_Types].xml";
    private static final String MAIN = "wordprocessingml.document.main+xml";
    private static final XMLInputFactory XML = xml();

    private final ZipFile zip;
    private long unpacked;

    private DocxPackage(ZipFile zip) {
        this.zip = zip;
    }

    private static XMLInputFactory xml() {
        var factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_REPLACING_ENTITY_REFERENCES, false);
        factory.setProperty(XMLInputFactory.IS_COALESCING, true);
        return factory;
    }

    /** @throws Rejection if it is another kind of zip, damaged, encrypted, or unpacks to too much */
    static DocxPackage open(byte[] file) {
        ZipFile zip;
        try {
            zip = ZipFile.builder().setByteArray(file).get();
        } catch (IOException | IllegalArgumentException e) {
            throw Rejection.damaged("it is a zip that cannot be opened", null);
        }
        var opened = new DocxPackage(zip);
        opened.check();
        return opened;
    }

    private void check() {
        var count = 0;
        var declared = 0L;
        for (var entries = zip.getEntries(); entries.hasMoreElements(); ) {
            var entry = entries.nextElement();
            count++;
            declared += Math.max(0, entry.getSize());
            if (entry.getGeneralPurposeBit().usesEncryption()) {
                throw new Rejection(Code.ENCRYPTED, "it is an encrypted zip; save it without a password");
            } else if (count > Bounds.ENTRIES || declared > Bounds.UNPACKED) {
                throw unpacksTooMuch();
            }
        }
        var types = text(TYPES);
        if (!types.contains(MAIN)) {
            throw TypeDetector.notAllowed(kind(types));
        }
    }

    private static String kind(String types) {
        if (types.contains("spreadsheetml")) {
            return "an Excel workbook";
        } else if (types.contains("presentationml")) {
            return "a PowerPoint presentation";
        }
        return types.contains("macroEnabled") ? "a Word document with macros" : "application/zip";
    }

    static Rejection unpacksTooMuch() {
        return new Rejection(
                Code.TOO_LARGE,
                "it unpacks to more than %,d MiB or %,d files".formatted(Bounds.UNPACKED >> 20, Bounds.ENTRIES));
    }

    private String text(String path) {
        try (var in = stream(path)) {
            return in == null ? "" : new String(in.readNBytes(1 << 20), java.nio.charset.StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw damaged(path);
        }
    }

    boolean has(String path) {
        return zip.getEntry(path) != null;
    }

    /** Returns the XML of a part, which may not declare entities, and whose depth is limited. */
    Optional<XMLStreamReader> xml(String path) {
        try {
            var in = stream(path);
            return in == null ? Optional.empty() : Optional.of(new Guarded(XML.createXMLStreamReader(in), path));
        } catch (IOException | XMLStreamException e) {
            throw damaged(path);
        }
    }

    static Rejection damaged(String path) {
        return Rejection.damaged("a part of the DOCX cannot be read; open it and save it again", path);
    }

    private @org.jspecify.annotations.Nullable InputStream stream(String path) throws IOException {
        var entry = zip.getEntry(path);
        if (entry == null) {
            return null;
        }
        try {
            return new CountedStream(zip.getInputStream(entry));
        } catch (ZipException unsupported) {
            throw damaged(path);
        }
    }

    /** Counts the bytes that are really unpacked, whatever the zip declares. */
    private final class CountedStream extends InputStream {
        private final InputStream in;

        CountedStream(InputStream in) {
            this.in = in;
        }

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] to, int offset, int length) throws IOException {
            var count = in.read(to, offset, length);
            unpacked += Math.max(0, count);
            if (unpacked > Bounds.UNPACKED) {
                throw unpacksTooMuch();
            }
            return count;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    private static final class Guarded extends StreamReaderDelegate {
        private final String path;
        private int depth;

        Guarded(XMLStreamReader reader, String path) {
            super(reader);
            this.path = path;
        }

        @Override
        public int next() throws XMLStreamException {
            var event = super.next();
            if (event == XMLStreamConstants.DTD || event == XMLStreamConstants.ENTITY_REFERENCE) {
                throw Rejection.damaged("its XML declares entities, which no document needs", path);
            } else if (event == XMLStreamConstants.START_ELEMENT && ++depth > Bounds.DEPTH) {
                throw Rejection.damaged("its XML is nested deeper than %d levels".formatted(Bounds.DEPTH), path);
            } else if (event == XMLStreamConstants.END_ELEMENT) {
                depth--;
            }
            return event;
        }
    }

    @Override
    public void close() {
        try {
            zip.close();
        } catch (IOException e) {
            // Closing a stream in memory cannot fail.
        }
    }
}
