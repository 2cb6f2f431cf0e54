package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.QuotedText;
import io.agentworkspace.engine.model.tool.Route;
import io.agentworkspace.engine.model.tool.Tool;
import jakarta.ws.rs.container.ContainerRequestContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;
import org.eclipse.jetty.http.MultiPartConfig;
import org.eclipse.jetty.http.MultiPartFormData;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.content.ByteBufferContentSource;
import org.eclipse.jetty.util.Attributes;
import tools.jackson.databind.node.ObjectNode;

/**
 * A file in a request's body, for a tool that takes the file as text. It is passed on as base64, so that the tool
 * runs the same way from everywhere.
 */
final class UploadBody {
    static final String FORM = "multipart/form-data";

    /** The name of the form's part with the file. */
    static final String PART = "file";

    private static final MultiPartConfig IN_MEMORY =
            new MultiPartConfig.Builder().maxParts(10).maxMemoryPartSize(-1).build();

    private UploadBody() {}

    /** Returns the tool's arguments, if the request carries a file instead of them. */
    static Optional<ObjectNode> arguments(Tool<?, ?> tool, ContainerRequestContext context) {
        var upload = tool.upload();
        var header = RestExchange.current().contentType();
        if (upload == null || upload.passing() != Route.Passing.IN_FIELD || header == null) {
            return Optional.empty();
        }
        var type = header.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        if (type.equals(upload.mediaType())) {
            return Optional.of(arguments(upload.field(), JsonBody.bytes(context)));
        }
        return type.equals(FORM)
                ? Optional.of(arguments(upload.field(), part(header, JsonBody.bytes(context))))
                : Optional.empty();
    }

    private static ObjectNode arguments(String field, byte[] file) {
        if (file.length == 0) {
            throw Problem.missing(field);
        }
        return Json.object().put(field, Base64.getEncoder().encodeToString(file));
    }

    /**
     * Returns the file of a form. The body is complete and limited in size, so nothing is waited for or written to
     * disk.
     */
    private static byte[] part(String contentType, byte[] body) {
        var form = new ByteBufferContentSource(ByteBuffer.wrap(body));
        try (var parts = MultiPartFormData.getParts(form, new Attributes.Mapped(), contentType, IN_MEMORY)) {
            for (var other : parts) {
                if (!PART.equals(other.getName())) {
                    throw Problem.invalid(
                            "the form's part '%s'".formatted(QuotedText.shortened(String.valueOf(other.getName()))),
                            "is not known; the file is the part '%s'".formatted(PART));
                }
            }
            var file = parts.getFirst(PART);
            if (file == null) {
                throw Problem.missing("the form's part '%s'".formatted(PART));
            }
            try (var in = Content.Source.asInputStream(file.getContentSource())) {
                return in.readAllBytes();
            }
        } catch (Problem problem) {
            throw problem;
        } catch (IOException | RuntimeException e) {
            // The library throws many types of exceptions for bodies that are not forms.
            throw new Problem(
                    Failure.BAD_REQUEST,
                    "the form cannot be read: send a whole %s, and its boundary in Content-Type".formatted(FORM));
        }
    }
}
