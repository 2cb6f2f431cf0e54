package io.agentworkspace.engine.integrations.upstreams.client;

import io.agentworkspace.engine.integrations.upstreams.client.UpstreamFailure.Kind;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Progress;
import io.agentworkspace.engine.model.upstream.ClientInput;
import io.agentworkspace.engine.model.upstream.HeldCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A call of a server with sessions, on a thread of its own. What its server asks meanwhile ends the request that made the
 * call, and the request that brings the answers goes on with it. So it waits for a person without a request.
 */
public final class OpenCall implements HeldCall {
    /** How often a server may ask in one call; further questions are refused. */
    private static final int MOST_QUESTIONS = 5;

    /** After so many questions, refused or not, the call is given up. */
    private static final int MOST_ASKED = 20;

    /** The largest result that is kept for a client that may never come for it, in characters. */
    private static final int LARGEST_KEPT = 32 * 1024;

    /** In a state, between the id and the number of the last question before it. */
    private static final String SEPARATOR = ":";

    private static final Pattern STATE = Pattern.compile("[0-9a-f-]{36}" + SEPARATOR + "[0-9]{1,6}");

    private final String id = UUID.randomUUID().toString();

    /** What the server names the call by. It does not learn the id, which brings the answers. */
    private final String token = UUID.randomUUID().toString();

    private final CallOwner owner;
    private final Duration limit;
    private final ClientInput input;
    private final Replies replies;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<String, Question> open = new LinkedHashMap<>();
    private final List<Runnable> endings = new ArrayList<>();
    private Thread worker = Thread.currentThread();
    private Progress progress;
    private int questionCount;
    private int waiting;
    private boolean ended;
    private @Nullable ObjectNode result;
    private @Nullable UpstreamFailure failure;

    /** What the server asks, and the id that its own request has. */
    private record Question(JsonNode id, ObjectNode json) {}

    /** Answers requests of the server. */
    interface Replies {
        /** Sends an answer, as far as the server takes it. */
        void answer(JsonNode id, ObjectNode answer);

        /** Refuses a request, without waiting. */
        void refuse(JsonNode id, String why);
    }

    /** @param mayAsk whether the protocol allows questions in this call */
    OpenCall(CallOwner owner, Duration limit, boolean mayAsk, Progress progress, Replies replies) {
        this.owner = owner;
        this.limit = limit;
        this.input = mayAsk ? progress.input() : ClientInput.NONE;
        this.progress = progress;
        this.replies = replies;
    }

    String id() {
        return id;
    }

    String token() {
        return token;
    }

    CallOwner owner() {
        return owner;
    }

    /** Makes the call. */
    void start(Supplier<ObjectNode> work) {
        worker = Thread.ofVirtual().unstarted(() -> {
            try {
                end(work.get(), null);
            } catch (UpstreamFailure e) {
                end(null, e);
            } catch (RuntimeException | Error e) {
                end(null, new UpstreamFailure(Kind.PROTOCOL, "its answer cannot be read"));
                throw e;
            }
        });
        worker.start();
    }

    private void end(@Nullable ObjectNode answer, @Nullable UpstreamFailure failed) {
        List<Runnable> after;
        lock.lock();
        try {
            result = answer;
            failure = failed == null ? null : explained(failed);
            if (answer != null && waiting == 0 && Json.text(answer).length() > LARGEST_KEPT) {
                result = null;
                failure = unanswered("it went on without the answer, and its result was too large to keep");
            }
            open.clear();
            ended = true;
            after = List.copyOf(endings);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        after.forEach(Runnable::run);
    }

    private UpstreamFailure explained(UpstreamFailure failed) {
        if (failed.kind() == Kind.CANCELLED && questionCount > MOST_ASKED) {
            return new UpstreamFailure(Kind.ERROR, "it asked more than %d times".formatted(MOST_ASKED));
        }
        return failed.kind() == Kind.UNREACHABLE && !open.isEmpty()
                ? unanswered("nobody answered it within %d s".formatted(limit.toSeconds()))
                : failed;
    }

    static UpstreamFailure unanswered(String why) {
        return new UpstreamFailure(Kind.UNANSWERED, why);
    }

    /** Runs the action when it has ended, or now. */
    public void whenEnded(Runnable action) {
        lock.lock();
        try {
            if (!ended) {
                endings.add(action);
                return;
            }
        } finally {
            lock.unlock();
        }
        action.run();
    }

    boolean hasEnded() {
        lock.lock();
        try {
            return ended;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether a question of its server is open. */
    boolean isAsking() {
        lock.lock();
        try {
            return !open.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether its server can ask its client something. */
    boolean canBeAsked() {
        lock.lock();
        try {
            return !ended && !input.capabilities().isEmpty();
        } finally {
            lock.unlock();
        }
    }

    void report(ObjectNode message) {
        RpcAnswer.report(message, progress);
    }

    /** Receives a question of the server. */
    void asks(ObjectNode message) {
        var id = message.path("id");
        var question = Json.object().put("method", message.path("method").asString(""));
        question.set("params", message.path("params") instanceof ObjectNode params ? params : Json.object());
        lock.lock();
        try {
            questionCount++;
            var why = ended ? "the call has ended" : refusal(question);
            if (questionCount > MOST_ASKED) {
                worker.interrupt();
            } else if (why != null) {
                replies.refuse(id, why);
            } else {
                open.put(Integer.toString(questionCount), new Question(id, question));
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    private @Nullable String refusal(ObjectNode question) {
        if (questionCount > MOST_QUESTIONS) {
            return "a call may ask %d times".formatted(MOST_QUESTIONS);
        }
        return ClientTurn.refusal(question, input);
    }

    /**
     * Waits for the result, or for questions in the form of 2026-07-28. An interrupt ends the call.
     *
     * @throws UpstreamFailure if it has failed
     */
    ObjectNode next() {
        lock.lock();
        try {
            waiting++;
            while (!ended && open.isEmpty()) {
                changed.await();
            }
            if (failure != null) {
                throw failure;
            }
            return result == null ? questions() : result;
        } catch (InterruptedException e) {
            worker.interrupt();
            Thread.currentThread().interrupt();
            throw new UpstreamFailure(Kind.CANCELLED, "the call was cancelled");
        } finally {
            waiting--;
            lock.unlock();
        }
    }

    private ObjectNode questions() {
        var asking =
                Json.object().put("resultType", "input_required").put("requestState", id + SEPARATOR + questionCount);
        var requests = asking.putObject("inputRequests");
        open.forEach((key, question) -> requests.set(key, question.json().deepCopy()));
        return asking;
    }

    /** Returns the id of the call that a state is of; empty if it is no state of a call. */
    static Optional<String> idOf(String state) {
        return STATE.matcher(state).matches() ? Optional.of(state.split(SEPARATOR, 2)[0]) : Optional.empty();
    }

    /**
     * Gives the server the answers, then waits like {@link #next}. What was asked before the state was given, and has no answer
     * now, is refused.
     */
    ObjectNode resume(String state, JsonNode answers, Progress later) {
        var last = Integer.parseInt(state.substring(state.indexOf(SEPARATOR) + 1));
        var questions = new LinkedHashMap<String, Question>();
        lock.lock();
        try {
            waiting++; // The result may come before the server has said that it took the answer.
            progress = later;
            open.entrySet().stream()
                    .filter(each -> Integer.parseInt(each.getKey()) <= last)
                    .forEach(each -> questions.put(each.getKey(), each.getValue()));
            open.keySet().removeAll(questions.keySet());
        } finally {
            lock.unlock();
        }
        try {
            questions.forEach((key, question) -> reply(question, answers.get(key)));
            return next();
        } finally {
            lock.lock();
            waiting--;
            lock.unlock();
        }
    }

    private void reply(Question question, @Nullable JsonNode reply) {
        if (reply instanceof ObjectNode answer) {
            replies.answer(question.id(), answer);
        } else {
            replies.refuse(question.id(), "the client did not answer");
        }
    }

    @Override
    public Duration limit() {
        return limit;
    }

    @Override
    public void awaitEnd() throws InterruptedException {
        lock.lock();
        try {
            waiting++;
            while (!ended) {
                changed.await();
            }
        } finally {
            waiting--;
            lock.unlock();
        }
    }

    @Override
    public void abandon() {
        worker.interrupt();
    }
}
