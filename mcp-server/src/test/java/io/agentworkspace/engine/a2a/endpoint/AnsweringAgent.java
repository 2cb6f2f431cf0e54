package io.agentworkspace.engine.a2a.endpoint;

import io.agentworkspace.engine.testing.TestCaller;

/** An agent here that answers each question with the same text, until it is closed; none that begins with "later". */
final class AnsweringAgent implements AutoCloseable {
    private final Thread thread;

    AnsweringAgent(TestCaller owner, String context, String answer) {
        thread = Thread.startVirtualThread(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                owner.call("AP_Wait", "{'wait_seconds':2,'target':{'context':'%s'}}".formatted(context))
                        .at("/content")
                        .forEach(message -> {
                            if (message.at("/question/state").asString("").equals("open")
                                    && !message.path("content").asString("").startsWith("later")) {
                                owner.call(
                                        "AP_Answer",
                                        "{'question':'%s','content':'%s','target':{'context':'%s'}}"
                                                .formatted(
                                                        message.at("/question/id")
                                                                .asString(""),
                                                        answer,
                                                        context));
                            }
                        });
            }
        });
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
