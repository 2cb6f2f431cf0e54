package io.agentworkspace.engine.memory.documents.extract.mail;

import io.agentworkspace.engine.memory.documents.extract.Block.BlockKind;
import io.agentworkspace.engine.memory.documents.extract.BlockWriter;
import io.agentworkspace.engine.memory.documents.extract.DeclaredCharset;
import io.agentworkspace.engine.memory.documents.extract.HtmlExtractor;
import io.agentworkspace.engine.memory.documents.extract.PlainExtractor;
import io.agentworkspace.engine.memory.documents.extract.Rejection;
import io.agentworkspace.engine.memory.documents.extract.office.RtfExtractor;
import io.agentworkspace.engine.model.document.DocumentReason.Code;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.stream.Stream;
import org.apache.poi.hsmf.MAPIMessage;
import org.apache.poi.hsmf.datatypes.AttachmentChunks;
import org.apache.poi.hsmf.datatypes.StringChunk;
import org.apache.poi.hsmf.exceptions.ChunkNotFoundException;
import org.jspecify.annotations.Nullable;

/** Extracts a mail that Outlook saved (MSG): its header, its text, as HTML if there is that, and its attachments. */
public final class OutlookExtractor {
    private final BlockWriter out;
    private final Attachments attachments;

    private OutlookExtractor(BlockWriter out, Attachments attachments) {
        this.out = out;
        this.attachments = attachments;
    }

    public static void extract(byte[] file, BlockWriter out, Attachments attachments) {
        try (var message = new MAPIMessage(new ByteArrayInputStream(file))) {
            new OutlookExtractor(out, attachments).message(message);
        } catch (IOException e) {
            throw Rejection.damaged("its structure cannot be read; save the mail again", null);
        }
    }

    private interface Field {
        @Nullable
        String get() throws ChunkNotFoundException;
    }

    private static String text(Field field) {
        try {
            var text = field.get();
            return text == null ? "" : text;
        } catch (ChunkNotFoundException e) {
            return "";
        }
    }

    private void message(MAPIMessage message) throws IOException {
        message.setReturnNullOnMissingChunk(true);
        if (message.has7BitEncodingStrings()) {
            message.guess7BitEncoding();
        }
        var subject = text(message::getSubject);
        out.add(BlockKind.HEADING, 1, subject.isBlank() ? "A mail without a subject" : subject, "header");
        field("From", text(message::getDisplayFrom));
        field("To", text(message::getDisplayTo));
        field("Cc", text(message::getDisplayCC));
        field("Date", date(message));
        body(message);
        for (var attachment : message.getAttachmentFiles()) {
            attached(attachment);
        }
    }

    private void field(String name, String value) {
        out.add(BlockKind.PARAGRAPH, 0, value.isBlank() ? "" : name + ": " + value, "header");
    }

    private static String date(MAPIMessage message) {
        try {
            var date = message.getMessageDate();
            return date == null
                    ? ""
                    : DateTimeFormatter.ISO_INSTANT.format(
                            date.toInstant().atZone(ZoneOffset.UTC).withNano(0));
        } catch (ChunkNotFoundException e) {
            return "";
        }
    }

    private void body(MAPIMessage message) {
        var binary = message.getMainChunks().getHtmlBodyChunkBinary();
        if (binary != null && DeclaredCharset.inHead(binary.getValue()).isPresent()) {
            new MailPart("", binary.getValue(), null).writeText(true, out, attachments::warn);
            return;
        }
        var html = text(message::getHtmlBody);
        var plain = text(message::getTextBody);
        var rtf = html.isBlank() && plain.isBlank() ? text(message::getRtfBody) : "";
        out.within("text", 1, () -> {
            if (!html.isBlank()) {
                HtmlExtractor.extractPart(html, "", out);
            } else if (rtf.isBlank()) {
                PlainExtractor.extract(plain, out);
            } else {
                RtfExtractor.extract(rtf.getBytes(StandardCharsets.ISO_8859_1), out);
            }
        });
    }

    private void attached(AttachmentChunks attachment) throws IOException {
        var name = Stream.of(
                        attachment.getAttachLongFileName(),
                        attachment.getAttachFileName(),
                        attachment.getAttachDisplayName())
                .filter(chunk -> chunk != null
                        && chunk.getValue() != null
                        && !chunk.getValue().isBlank())
                .map(StringChunk::getValue)
                .findFirst()
                .orElse("without a name");
        if (attachment.isEmbeddedMessage()) {
            var mail = attachment.getEmbeddedMessage();
            attachments.enclose(name, out, () -> {
                try {
                    message(mail);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        } else if (attachment.getAttachData() == null) {
            attachments.enclose(name, out, () -> {
                throw new Rejection(Code.NO_TEXT, "it is only a link, or an object of another program");
            });
        } else {
            attachments.add(new MailPart(name, attachment.getEmbeddedAttachmentObject(), null), out);
        }
    }
}
