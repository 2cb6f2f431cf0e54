package io.agentworkspace.engine.a2a.outbound;

import io.agentworkspace.engine.a2a.outbound.OutboundStore.Claim;
import io.agentworkspace.engine.a2a.outbound.RemoteFailure.Kind;
import io.agentworkspace.engine.a2a.wire.A2aError;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.kernel.outbound.VettedClient;
import io.agentworkspace.engine.kernel.scheduling.Worker;
import io.agentworkspace.engine.kernel.secrets.SecretsFailure;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Sends messages to agents that live elsewhere, and says their answers here. A message is in the queue with its own commit. It is sent, its task
 * is looked at until it ends, the answer is stored, and then said: each step is repeated after a crash, under the id of the message, so that
 * nothing is lost and nothing is said here twice. There, a message may be twice if the server does not compare the ids.
 */
public final class Outbound implements Worker.Queue<Claim> {
    private static final Logger LOG = LoggerFactory.getLogger(Outbound.class);

    private static final Duration LEASE = Duration.ofSeconds(15);

    private static final int PLACES = 32;
    private static final Duration PAUSE = Duration.ofMillis(500);
    private static final Duration TO_SEND = Duration.ofHours(24);
    private static final Duration TO_ANSWER = Duration.ofDays(7);

    /** Until then a wrong address or credential may be mended. */
    private static final Duration TO_MEND = Duration.ofMinutes(10);

    /** How often a message is sent that may have been received. */
    private static final int TRIES = 3;

    private static final Duration SOON = Duration.ofSeconds(1);
    private static final Duration SELDOM = Duration.ofMinutes(5);

    private final OutboundStore store;
    private final RemoteClient client;
    private final AgentVoice voice;
    private final Clock clock;

    private Outbound(OutboundStore store, RemoteClient client, AgentVoice voice, Clock clock) {
        this.store = store;
        this.client = client;
        this.voice = voice;
        this.clock = clock;
    }

    /** Adds the sending of messages to a feature. */
    public static void addTo(Feature feature, Db db, Vault vault, VettedClient http, ToolRunner runner, Clock clock) {
        var store = new OutboundStore(db, vault);
        var client = new RemoteClient(http);
        var worker = new Worker<>(
                "messages to agents elsewhere are sent",
                Thread.ofVirtual().name("a2a: outbound"),
                new Worker.Pace(PLACES, PAUSE, Duration.ZERO),
                new Outbound(store, client, new AgentVoice(runner), clock));
        feature.closing(client)
                .running(worker, worker::start)
                .background(work -> work.clearing("messages to agents elsewhere", store::purge));
    }

    @Override
    public List<Claim> claim(int most) {
        return store.claim(clock.instant(), LEASE, most);
    }

    @Override
    public boolean work(Claim claim) {
        var known = claim;
        try {
            if (claim.isWithdrawn()) {
                cancel(claim);
                return false;
            }
            known = claim.answer() == null ? ask(claim) : claim;
            if (known.answer() != null) {
                say(known, known.answer());
            }
        } catch (RemoteFailure failed) {
            failed(claim, failed);
        } catch (SecretsFailure failed) {
            LOG.error("cannot send the message {}: {}", claim.message(), failed.getMessage());
            failed(claim, RemoteFailure.of(Kind.NOT_TAKEN, "the engine cannot decrypt the credential"));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt(); // Claimed again when the lease expires.
        } catch (RuntimeException defect) { // Of the engine, not of the other server.
            LOG.error("the message {} could not be sent", claim.message(), defect);
            later(known, "the engine failed; the reason is in its log");
        }
        return false;
    }

    @Override
    public boolean renew(Claim claim) {
        return store.renew(claim, clock.instant().plus(LEASE));
    }

    /** Cancels the task of a question that was taken back. Nobody waits for the result, so that only a server that is away is asked again. */
    private void cancel(Claim claim) throws RemoteFailure, InterruptedException {
        if (claim.sent() && !claim.task().isEmpty()) {
            try {
                client.cancel(store.open(claim.remote()), claim.task());
            } catch (RemoteFailure failed) {
                if (!failed.isFinal() && !isOlder(claim, TO_ANSWER)) {
                    throw failed;
                }
                LOG.debug("the task of the message {} is not canceled: {}", claim.message(), failed.getMessage());
            }
        }
        store.end(claim);
    }

    /** Sends the message, or looks at its task, and records the answer. */
    private Claim ask(Claim claim) throws RemoteFailure, InterruptedException {
        if (!claim.sent() && isOlder(claim, TO_SEND)) {
            throw RemoteFailure.refused("it could not be sent within %d hours".formatted(TO_SEND.toHours()));
        }
        var agent = store.open(claim.remote());
        var answered = claim.sent()
                ? RemoteNews.ofTask(client.task(agent, claim.task()), claim.task())
                : RemoteNews.ofSent(client.send(agent, message(claim)), claim.task());
        var news = answered.unless(claim.said());
        var isOver = news.answer() == null && isOlder(claim, TO_ANSWER);
        if (isOver && !news.asks()) {
            throw RemoteFailure.refused("the agent has not answered within %d days".formatted(TO_ANSWER.toDays()));
        }
        var now = clock.instant();
        var due = isOver ? null : now.plus(news.answer() == null ? pause(claim, now) : LEASE);
        var isOurs = store.received(claim, news, now, due, null);
        if (!claim.sent() && isOurs) {
            voice.read(claim);
        }
        return isOurs ? claim.having(news) : claim;
    }

    private boolean isOlder(Claim claim, Duration age) {
        return Duration.between(claim.createdAt(), clock.instant()).compareTo(age) > 0;
    }

    /** Returns a tenth of the message's age: the longer it takes, the less often it is looked at. */
    private static Duration pause(Claim claim, Instant now) {
        var pause = Duration.between(claim.createdAt(), now).dividedBy(10);
        return pause.compareTo(SOON) < 0 ? SOON : pause.compareTo(SELDOM) < 0 ? pause : SELDOM;
    }

    private static ObjectNode message(Claim claim) {
        var params = Json.object();
        var message = params.putObject("message")
                .put("messageId", claim.message().toString())
                .put("role", "ROLE_USER");
        if (!claim.context().isEmpty()) {
            message.put("contextId", claim.context());
        }
        if (!claim.task().isEmpty()) {
            message.put("taskId", claim.task());
        }
        var parts = message.putArray("parts");
        parts.addObject().put("text", claim.content());
        if (claim.choices() != null && !claim.choices().isEmpty()) {
            parts.addObject().put("text", "Answer with one of: " + String.join(", ", claim.choices()));
        }
        claim.attached().forEach(each -> parts.addObject().put("text", "Attached here: " + each));
        var wishes = params.putObject("configuration").put("returnImmediately", true);
        wishes.putArray("acceptedOutputModes").add("text/plain").add("application/json");
        return params;
    }

    private void say(Claim claim, ObjectNode answer) {
        try {
            voice.say(claim, answer);
            said(claim, null);
        } catch (A2aError refused) {
            var words = "its answer was not taken: " + refused.getMessage();
            if (AgentVoice.isForNow(refused)) {
                later(claim, words);
            } else {
                said(claim, words);
            }
        }
    }

    /** @param error why nothing was said; null if it was */
    private void said(Claim claim, @Nullable String error) {
        var now = clock.instant();
        store.said(claim, isOlder(claim, TO_ANSWER) ? null : now.plus(pause(claim, now)), error);
    }

    /** Tries again what the other server has no part in. */
    private void later(Claim claim, String words) {
        if (isOlder(claim, TO_ANSWER)) {
            said(claim, words);
        } else {
            store.later(claim, clock.instant().plus(retry(claim)));
        }
    }

    private void failed(Claim claim, RemoteFailure failure) {
        var now = clock.instant();
        var unsure = claim.unsure() + (!claim.sent() && failure.kind() == Kind.UNSURE ? 1 : 0);
        if (!failure.isFinal() && unsure < TRIES && !isOlder(claim, limit(claim, failure))) {
            store.failed(claim, failure.wordsForOwner(), unsure, now, now.plus(retry(claim)));
            return;
        }
        var words = claim.sent() || failure.kind() == Kind.UNUSABLE
                ? "No answer: "
                : unsure > 0 ? "No answer, though it may have been received: " : "Not delivered: ";
        var news = RemoteNews.failed(words + failure.words());
        if (news.answer() != null && store.received(claim, news, now, now.plus(LEASE), failure.wordsForOwner())) {
            say(claim.having(news), news.answer());
        }
    }

    private static Duration limit(Claim claim, RemoteFailure failure) {
        return claim.sent() ? TO_ANSWER : failure.kind() == Kind.WRONG ? TO_MEND : TO_SEND;
    }

    /** Returns when to try again: after 2 s, 4 s, and so on up to five minutes. */
    private static Duration retry(Claim claim) {
        var pause = Duration.ofSeconds(1L << Math.min(claim.attempts(), 9));
        return pause.compareTo(SELDOM) < 0 ? pause : SELDOM;
    }
}
