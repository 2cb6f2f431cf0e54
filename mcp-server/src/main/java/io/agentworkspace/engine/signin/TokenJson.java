package io.agentworkspace.engine.signin;

import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Problem;
import io.jsonwebtoken.io.AbstractDeserializer;
import io.jsonwebtoken.io.AbstractSerializer;
import io.jsonwebtoken.io.DeserializationException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** How the token library reads and writes JSON: as everything here does, strictly. */
final class TokenJson {
    static final Writer WRITER = new Writer();
    static final Parser PARSER = new Parser();

    private TokenJson() {}

    static final class Writer extends AbstractSerializer<Map<String, ?>> {
        @Override
        protected void doSerialize(Map<String, ?> claims, OutputStream out) throws IOException {
            out.write(Json.bytes(claims));
        }
    }

    static final class Parser extends AbstractDeserializer<Map<String, ?>> {
        @Override
        @SuppressWarnings("unchecked")
        protected Map<String, ?> doDeserialize(Reader reader) throws IOException {
            var text = new StringWriter();
            reader.transferTo(text);
            try {
                return Json.bind(Json.readObject(text.toString().getBytes(StandardCharsets.UTF_8)), Map.class);
            } catch (Problem e) {
                throw new DeserializationException(e.note());
            }
        }
    }
}
