package io.agentworkspace.engine.memory.documents.extract;

import io.agentworkspace.engine.model.document.DocumentReason.Code;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.zip.ZipException;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import javax.xml.stream.util.StreamReaderDelegate;
import org.apache.commons.compress.archivers.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/** A document that is a zip of XML parts, such as DOCX. Only the required parts are unpacked, within limits. */
public final class ZipPackage implements AutoCloseable {
    private static final XMLInputFactory XML = xml();

    /** What newer programs added, with elements that have the names of others, and no text. */
    private static final String EXTENSIONS = "extLst";

    private final ZipFile zip;
    private final Set<String> unread = new LinkedHashSet<>();
    private long unpacked;

    private ZipPackage(ZipFile zip) {
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

    /** @throws Rejection if it is damaged, encrypted, or unpacks to too much */
    public static ZipPackage open(byte[] file) {
        ZipFile zip;
        try {
            zip = ZipFile.builder().setByteArray(file).get();
        } catch (IOException | IllegalArgumentException e) {
            throw Rejection.damaged("it is a zip that cannot be opened", null);
        }
        var opened = new ZipPackage(zip);
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
    }

    static Rejection unpacksTooMuch() {
        return new Rejection(
                Code.TOO_LARGE,
                "it unpacks to more than %,d MiB or %,d files".formatted(Bounds.UNPACKED >> 20, Bounds.ENTRIES));
    }

    /** Returns the first MiB of a part; an empty text if there is none. */
    public String text(String path) {
        try (var in = stream(path)) {
            return in == null ? "" : new String(in.readNBytes(1 << 20), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw damaged(path);
        }
    }

    public boolean has(String path) {
        return zip.getEntry(path) != null;
    }

    /** Returns a part's bytes; empty if there is none. */
    public Optional<byte[]> bytes(String path) {
        try (var in = stream(path)) {
            return in == null ? Optional.empty() : Optional.of(in.readAllBytes());
        } catch (IOException e) {
            throw damaged(path);
        }
    }

    /** Calls a reader at the beginning of each element of a part, if there is such a part, and at its end. */
    public void read(String path, Elements elements) {
        var opened = xml(path);
        if (opened.isEmpty()) {
            return;
        }
        try {
            for (var reader = opened.get(); reader.hasNext(); ) {
                switch (reader.next()) {
                    case XMLStreamConstants.START_ELEMENT -> {
                        if (reader.getLocalName().equals(EXTENSIONS)) {
                            skip(reader);
                        } else {
                            elements.begin(reader.getLocalName(), reader);
                        }
                    }
                    case XMLStreamConstants.END_ELEMENT -> elements.end(reader.getLocalName());
                    case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA, XMLStreamConstants.SPACE ->
                        elements.text(reader.getText());
                    default -> {}
                }
            }
        } catch (XMLStreamException e) {
            throw damaged(path);
        }
    }

    /**
     * Reads a part that another one refers to and that its text can do without, such as notes or styles. If it is damaged, what was read
     * of it counts; if it is damaged or missing, its name is noted.
     */
    public void readOptional(String path, Elements elements) {
        try {
            if (has(path)) {
                read(path, elements);
            } else {
                note(path);
            }
        } catch (Rejection e) {
            if (e.reason().code() != Code.DAMAGED) {
                throw e;
            }
            note(path);
        }
    }

    /** Notes an optional part of which something is missing. The first ones tell enough. */
    public void note(String path) {
        if (unread.size() < Bounds.WARNINGS) {
            unread.add(BlockWriter.place(path));
        }
    }

    /** Returns the optional parts that could not be read to their end. */
    public Set<String> unread() {
        return unread;
    }

    /** What a reader does with the elements of a part. */
    @FunctionalInterface
    public interface Elements {
        void begin(String name, XMLStreamReader reader) throws XMLStreamException;

        default void end(String name) {}

        default void text(String text) {}
    }

    /** Returns an attribute by its local name; an empty text if there is none. */
    public static String attribute(XMLStreamReader reader, String name) {
        for (var i = 0; i < reader.getAttributeCount(); i++) {
            if (reader.getAttributeLocalName(i).equals(name)) {
                return reader.getAttributeValue(i);
            }
        }
        return "";
    }

    /** Passes over the rest of an element. */
    public static void skip(XMLStreamReader reader) throws XMLStreamException {
        for (var open = 1; open > 0; ) {
            var event = reader.next();
            open += event == XMLStreamConstants.START_ELEMENT ? 1 : event == XMLStreamConstants.END_ELEMENT ? -1 : 0;
        }
    }

    /** Returns the XML of a part, which may not declare entities, and whose depth is limited. */
    public Optional<XMLStreamReader> xml(String path) {
        try {
            var in = stream(path);
            return in == null ? Optional.empty() : Optional.of(new Guarded(XML.createXMLStreamReader(in), path));
        } catch (IOException | XMLStreamException e) {
            throw damaged(path);
        }
    }

    public static Rejection damaged(String path) {
        return Rejection.damaged("a part of the file cannot be read; open it and save it again", path);
    }

    private @Nullable InputStream stream(String path) throws IOException {
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

        /** Reads the element's end, too, which {@link #next} does not see. */
        @Override
        public String getElementText() throws XMLStreamException {
            var text = super.getElementText();
            depth--;
            return text;
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
