package io.agentworkspace.engine.memory.embedding;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.net.URL;
import java.nio.FloatBuffer;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** A model that runs in this process, on the processor. Its weights are data in a library on the class path. */
final class BuiltinModel implements EmbeddingModel {
    /** It was trained with texts of this length; a part of a longer one is found better, and made faster. */
    private static final int TOKENS = 126;

    /**
     * Without it, the runtime writes what it does into the user's home folder and sends it to its makers, as soon as it is loaded;
     * and it ends a process whose command line is longer than 3.9 kB.
     */
    private static final String NO_TELEMETRY = "ORT_DISABLE_TELEMETRY";

    private final OrtEnvironment environment;
    private final OrtSession session;
    private final WordPiece tokenizer;

    /** @param name the name of its files on the class path */
    BuiltinModel(String name) {
        try (var options = new OrtSession.SessionOptions()) {
            CLibrary.setVariable(NO_TELEMETRY, "1");
            environment = OrtEnvironment.getEnvironment();
            options.setIntraOpNumThreads(1);
            options.setInterOpNumThreads(1);
            options.setCPUArenaAllocator(false); // What it has taken for a long text it would never give back.
            session = session(name + ".onnx", environment, options);
            tokenizer = WordPiece.of(resource(name + "-tokenizer.json"));
        } catch (OrtException e) {
            throw new IllegalStateException("the embedding model cannot be loaded", e);
        }
    }

    /** The weights are read into memory outside of the heap, which would grow by them and stay so. */
    private static OrtSession session(String name, OrtEnvironment environment, OrtSession.SessionOptions options)
            throws OrtException {
        try (var memory = Arena.ofConfined()) {
            var file = found(name).openConnection();
            var length = file.getContentLengthLong();
            if (length < 0) { // A class loader need not know it.
                return environment.createSession(resource(name), options);
            }
            var weights = memory.allocate(length).asByteBuffer();
            try (var in = Channels.newChannel(file.getInputStream())) {
                while (in.read(weights) > 0) {}
            }
            return environment.createSession(weights.flip(), options);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static URL found(String name) {
        var found = OrtEnvironment.class.getClassLoader().getResource(name);
        if (found == null) {
            throw new IllegalStateException("the class path has no " + name);
        }
        return found;
    }

    private static byte[] resource(String name) {
        try (var in = found(name).openStream()) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public float[] query(String text) {
        var tokens = tokenizer.tokens(text);
        return vector(tokens.subList(0, Math.min(TOKENS, tokens.size())));
    }

    @Override
    public List<float[]> passages(String text) {
        var vectors = new ArrayList<float[]>();
        for (var part : Parts.of(tokenizer.tokens(text), TOKENS)) {
            vectors.add(vector(part));
        }
        return vectors;
    }

    private float[] vector(List<Integer> tokens) {
        var length = tokens.size() + 2;
        var ids = new long[1][length];
        ids[0][0] = WordPiece.BEGIN;
        ids[0][length - 1] = WordPiece.END;
        for (var i = 0; i < tokens.size(); i++) {
            ids[0][i + 1] = tokens.get(i);
        }
        var mask = new long[1][length];
        Arrays.fill(mask[0], 1);
        try (var input = OnnxTensor.createTensor(environment, ids);
                var attention = OnnxTensor.createTensor(environment, mask);
                var types = OnnxTensor.createTensor(environment, new long[1][length]);
                var output =
                        session.run(Map.of("input_ids", input, "attention_mask", attention, "token_type_ids", types))) {
            return pooled(((OnnxTensor) output.get(0)).getFloatBuffer(), length);
        } catch (OrtException e) {
            throw new IllegalStateException("the embedding model failed", e);
        }
    }

    /** The vector of a text is the mean of those of its tokens. */
    private static float[] pooled(FloatBuffer hidden, int tokens) {
        var dimensions = hidden.remaining() / tokens;
        var vector = new float[dimensions];
        for (var token = 0; token < tokens; token++) {
            for (var i = 0; i < dimensions; i++) {
                vector[i] += hidden.get(token * dimensions + i);
            }
        }
        return Vectors.normalized(vector);
    }

    @Override
    public void close() {
        try {
            session.close();
        } catch (OrtException e) {
            throw new IllegalStateException(e);
        } finally {
            NativeMemory.giveBack("onnxruntime");
        }
    }
}
