package io.agentworkspace.engine.memory.documents.extract.mail;

import io.agentworkspace.engine.memory.documents.extract.Block.BlockKind;
import io.agentworkspace.engine.memory.documents.extract.BlockWriter;
import io.agentworkspace.engine.memory.documents.extract.Rejection;
import io.agentworkspace.engine.model.document.DocumentReason.Code;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.james.mime4j.MimeIOException;
import org.apache.james.mime4j.codec.DecodeMonitor;
import org.apache.james.mime4j.codec.DecoderUtil;
import org.apache.james.mime4j.dom.Entity;
import org.apache.james.mime4j.dom.Message;
import org.apache.james.mime4j.dom.Multipart;
import org.apache.james.mime4j.dom.SingleBody;
import org.apache.james.mime4j.dom.field.ContentTypeField;
import org.apache.james.mime4j.message.DefaultMessageBuilder;
import org.apache.james.mime4j.stream.MimeConfig;
import org.apache.james.mime4j.util.ContentUtil;
import org.jspecify.annotations.Nullable;

/** Extracts a mail (EML): its header, its text, as HTML if there is that, and its attachments. */
public final class MailExtractor {
    private static final MimeConfig CONFIG = new MimeConfig.Builder()
            .setMaxLineLen(-1)
            .setMaxHeaderLen(200_000)
            .setMaxHeaderCount(1_000)
            .build();

    private static final List<String> SHOWN = List.of("From", "To", "Cc", "Date");
    private static final Set<String> SIGNATURES =
            Set.of("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature");
    private static final Set<String> ENCRYPTED = Set.of(
            "multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime", "application/pgp-encrypted");
    private static final int DEPTH = 20;

    /** Each multipart within another is a stream on top of its, so their number is limited before they are read. */
    private static final int MULTIPARTS = 500;

    private static final Pattern BOUNDARY = Pattern.compile(
            "^(?:content-type:[^\\r\\n]*|[ \\t][^\\r\\n]*)\\bboundary=", Pattern.CASE_INSENSITIVE | Pattern.MULTILINE);

    private final BlockWriter out;
    private final Attachments attachments;
    private int depth;

    private MailExtractor(BlockWriter out, Attachments attachments) {
        this.out = out;
        this.attachments = attachments;
    }

    public static void extract(byte[] file, BlockWriter out, Attachments attachments) {
        if (BOUNDARY.matcher(new String(file, StandardCharsets.ISO_8859_1))
                        .results()
                        .count()
                > MULTIPARTS) {
            throw Rejection.damaged("it has over %d multiparts, nested or in a row".formatted(MULTIPARTS), null);
        }
        var builder = new DefaultMessageBuilder();
        builder.setMimeEntityConfig(CONFIG);
        builder.setDecodeMonitor(DecodeMonitor.SILENT);
        try {
            var message = builder.parseMessage(new ByteArrayInputStream(file));
            new MailExtractor(out, attachments).message(message);
        } catch (MimeIOException e) {
            throw Rejection.damaged("its parts cannot be told apart; save the mail again", null);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void message(Message message) throws IOException {
        var subject = field(message, "Subject");
        out.add(BlockKind.HEADING, 1, subject.isBlank() ? "A mail without a subject" : subject, "header");
        for (var name : SHOWN) {
            var value = field(message, name);
            out.add(BlockKind.PARAGRAPH, 0, value.isBlank() ? "" : name + ": " + value, "header");
        }
        part(message);
    }

    /** Returns a field of the header, with its encoded words decoded. */
    private static String field(Entity entity, String name) {
        var field = entity.getHeader() == null ? null : entity.getHeader().getField(name);
        if (field == null || field.getRaw() == null) {
            return field == null ? "" : String.valueOf(field.getBody());
        }
        var raw = ContentUtil.decode(StandardCharsets.UTF_8, field.getRaw());
        var value = raw.substring(raw.indexOf(':') + 1)
                .replaceAll("\\r?\\n(?=[ \\t])", "")
                .strip();
        return DecoderUtil.decodeEncodedWords(value, DecodeMonitor.SILENT);
    }

    private void part(Entity entity) throws IOException {
        var type = String.valueOf(entity.getMimeType()).toLowerCase(Locale.ROOT);
        if (ENCRYPTED.contains(type)) {
            unreadable(entity);
            return;
        } else if (++depth > DEPTH) {
            throw Rejection.damaged("its parts are nested deeper than %d levels".formatted(DEPTH), null);
        }
        switch (entity.getBody()) {
            case Multipart parts when type.equals("multipart/alternative") -> part(best(parts));
            case Multipart parts -> {
                for (var inner : parts.getBodyParts()) {
                    if (!isPictureOfText(type, inner)) {
                        part(inner);
                    }
                }
            }
            case Message mail -> attached(mail);
            case SingleBody body -> single(entity, type, body);
            case null, default -> {}
        }
        depth--;
    }

    /** Refuses a mail that is encrypted or within its signature as a whole; a part of it is named as not read. */
    private void unreadable(Entity entity) {
        var reason = isSigned(entity)
                ? new Rejection(Code.NO_TEXT, "its text is within its signature; save it without the signature")
                : new Rejection(Code.ENCRYPTED, "it is an encrypted mail; save its text without the encryption");
        if (entity instanceof Message) {
            throw reason;
        }
        attachments.enclose(name(entity), out, () -> {
            throw reason;
        });
    }

    private static String name(Entity entity) {
        var name = entity.getFilename();
        return name == null
                ? "of type " + entity.getMimeType()
                : DecoderUtil.decodeEncodedWords(name, DecodeMonitor.SILENT);
    }

    private static boolean isSigned(Entity entity) {
        return entity.getHeader().getField("Content-Type") instanceof ContentTypeField type
                && "signed-data".equalsIgnoreCase(type.getParameter("smime-type"));
    }

    private static boolean isPictureOfText(String around, Entity part) {
        return around.equals("multipart/related")
                && String.valueOf(part.getMimeType()).startsWith("image/");
    }

    private static byte[] bytes(SingleBody body) throws IOException {
        try (var in = body.getInputStream()) {
            return in.readAllBytes();
        }
    }

    /** Returns the form of the text that keeps most: HTML, if that is more than pictures, or else plain text. */
    private static Entity best(Multipart forms) throws IOException {
        var parts = forms.getBodyParts();
        if (parts.isEmpty()) {
            throw Rejection.damaged("its text is missing", null);
        }
        for (var part : parts) {
            if (hasHtml(part, 0)) {
                return part;
            }
        }
        return parts.stream()
                .filter(part -> "text/plain".equals(part.getMimeType()))
                .findFirst()
                .or(() -> parts.stream().filter(Entity::isMultipart).findFirst())
                .orElse(parts.getFirst());
    }

    private static boolean hasHtml(Entity part, int depth) throws IOException {
        if (part.getBody() instanceof SingleBody body && "text/html".equals(part.getMimeType())) {
            var text = new BlockWriter(false);
            new MailPart("", bytes(body), charset(part)).writeText(true, text, warning -> {});
            return !text.isEmpty();
        } else if (part.getBody() instanceof Multipart parts && depth < DEPTH) {
            for (var inner : parts.getBodyParts()) {
                if (hasHtml(inner, depth + 1)) {
                    return true;
                }
            }
        }
        return false;
    }

    private void attached(Message mail) {
        var subject = field(mail, "Subject");
        attachments.enclose(subject.isBlank() ? "a mail" : subject, out, () -> {
            try {
                new MailExtractor(out, attachments).message(mail);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private void single(Entity entity, String type, SingleBody body) throws IOException {
        if (SIGNATURES.contains(type)) {
            return;
        }
        var file = bytes(body);
        var isAttachment = "attachment".equalsIgnoreCase(entity.getDispositionType()) || entity.getFilename() != null;
        var isHtml = type.equals("text/html");
        if (!isAttachment && (isHtml || type.equals("text/plain"))) {
            new MailPart("", file, charset(entity)).writeText(isHtml, out, attachments::warn);
        } else {
            attachments.add(new MailPart(name(entity), file, charset(entity)), out);
        }
    }

    private static @Nullable String charset(Entity entity) {
        var charset =
                entity.getHeader().getField("Content-Type") instanceof ContentTypeField type ? type.getCharset() : null;
        return charset == null || charset.equalsIgnoreCase("us-ascii") ? null : charset;
    }
}
