package io.agentworkspace.engine.memory.banks.transfer.formats;

import io.agentworkspace.engine.memory.banks.transfer.formats.Formats.OwnFormat;
import io.agentworkspace.engine.memory.banks.transfer.source.ImportSource;
import io.agentworkspace.engine.memory.banks.transfer.source.JsonValues;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which formats of JSON the first entries of an import have. The entries are not kept. */
final class Sampled {
    private final Set<JsonFormat> found = new HashSet<>();
    private @Nullable OwnFormat own;
    private @Nullable String fault;
    private boolean hasEntries;

    Sampled(ImportSource source, List<ImportFormat> formats) throws IOException {
        for (var part : source.likelyJson()) {
            part.sample(value -> take(value, formats));
        }
    }

    private void take(JsonValues.Value value, List<ImportFormat> formats) {
        if (value.fault() != null) {
            fault = fault == null ? value.fault() : fault;
            return;
        }
        hasEntries = true;
        for (var format : formats) {
            if (format instanceof JsonFormat json && !found.contains(json) && json.has(value.json())) {
                found.add(json);
            }
        }
        own = own == null ? Formats.own(value.json()).orElse(null) : own;
    }

    boolean has(JsonFormat format) {
        return found.contains(format);
    }

    /** Returns the engine's own format that an entry has. */
    Optional<OwnFormat> own() {
        return Optional.ofNullable(own);
    }

    /** Returns why no entry can be read; empty if one can. */
    Optional<String> fault() {
        return hasEntries ? Optional.empty() : Optional.ofNullable(fault);
    }
}
