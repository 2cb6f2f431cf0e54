package io.agentworkspace.engine.workspace.messages;

import io.agentworkspace.engine.model.agent.Message;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Messages whose texts a response cuts: they stay unread until a call returns them whole. */
public final class CutMessages {
    /** Calls for this many zones are named. */
    private static final int NAMED = 3;

    private CutMessages() {}

    /**
     * Returns the calls that show the cut texts whole, as a sentence for a model; null if none is cut.
     *
     * @param waiting messages that wait for the speaker
     */
    public static @Nullable String next(List<Message> waiting) {
        var calls = new LinkedHashSet<String>();
        for (var message : waiting) {
            if (message.text().truncated() != null) {
                calls.add(
                        message.place().zone() == null
                                ? "AP_Read with inbox: true"
                                : "ZN_Read with target.domain '%s' and target.zone '%s'"
                                        .formatted(
                                                message.place().domain(),
                                                message.place().zone()));
            }
        }
        if (calls.isEmpty()) {
            return null;
        }
        var examples = calls.stream().limit(NAMED).toList();
        return "Texts that are cut stay unread. Read them whole: " + String.join(", ", examples)
                + (examples.size() < calls.size() ? ", and so on." : ".");
    }

    /** Returns those of the messages that are read by being shown: those before the first cut text of their conversation. */
    static Stream<StoredMessage> beforeCut(List<StoredMessage> messages) {
        var conversations = new HashSet<Long>();
        return messages.stream().filter(each -> {
            if (each.message().text().truncated() != null) {
                conversations.add(each.conversation());
            }
            return !conversations.contains(each.conversation());
        });
    }
}
