package io.agentworkspace.engine.memory.embedding;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * How vectors are kept: how many dimensions they have, then one after the other, each a scale and a byte for each dimension. A
 * vector is what the bytes times the scale are. Its signature is the sign of each dimension, one bit for each.
 */
public final class Vectors {
    private static final int STEPS = 127;
    private static final int HEAD = Short.BYTES;

    private Vectors() {}

    static float[] normalized(float[] vector) {
        var square = 0.0;
        for (var each : vector) {
            square += each * each;
        }
        var length = square == 0 ? 1 : Math.sqrt(square);
        var normal = new float[vector.length];
        for (var i = 0; i < vector.length; i++) {
            normal[i] = (float) (vector[i] / length);
        }
        return normal;
    }

    /** @param vectors all of the same length, at least one */
    public static byte[] packed(List<float[]> vectors) {
        var dimensions = vectors.getFirst().length;
        var bytes = ByteBuffer.allocate(HEAD + vectors.size() * (Float.BYTES + dimensions));
        bytes.putShort((short) dimensions);
        for (var vector : vectors) {
            var most = 0f;
            for (var each : vector) {
                most = Math.max(most, Math.abs(each));
            }
            var scale = most == 0 ? 1 : most / STEPS;
            bytes.putFloat(scale);
            for (var each : vector) {
                bytes.put((byte) Math.round(each / scale));
            }
        }
        return bytes.array();
    }

    /** How like a vector is to the one of the packed that is most like it: the cosine of the angle between them. */
    public static float likeness(float[] vector, byte[] packed, int offset, int length) {
        var bytes = ByteBuffer.wrap(packed, offset, length);
        var best = -1f;
        if (length < HEAD || bytes.getShort() != vector.length) {
            return best;
        }
        for (var at = offset + HEAD; at < offset + length; at += Float.BYTES + vector.length) {
            var scale = bytes.getFloat(at - offset);
            best = Math.max(best, product(vector, packed, at + Float.BYTES) * scale);
        }
        return best;
    }

    /** Four sums, of which none waits for another one. */
    private static float product(float[] vector, byte[] packed, int at) {
        var first = 0f;
        var second = 0f;
        var third = 0f;
        var fourth = 0f;
        var i = 0;
        for (; i + 3 < vector.length; i += 4) {
            first += vector[i] * packed[at + i];
            second += vector[i + 1] * packed[at + i + 1];
            third += vector[i + 2] * packed[at + i + 2];
            fourth += vector[i + 3] * packed[at + i + 3];
        }
        for (; i < vector.length; i++) {
            first += vector[i] * packed[at + i];
        }
        return first + second + third + fourth;
    }

    /** The signature of a vector. */
    public static long[] signature(float[] vector) {
        var bits = new long[words(vector.length)];
        for (var i = 0; i < vector.length; i++) {
            if (vector[i] > 0) {
                bits[i >> 6] |= 1L << i;
            }
        }
        return bits;
    }

    /** The signatures of packed vectors, one after the other. */
    public static byte[] signatures(byte[] packed) {
        var bytes = ByteBuffer.wrap(packed);
        var dimensions = bytes.getShort();
        var parts = (packed.length - HEAD) / (Float.BYTES + dimensions);
        var signatures = ByteBuffer.allocate(parts * words(dimensions) * Long.BYTES);
        for (var part = 0; part < parts; part++) {
            var at = HEAD + part * (Float.BYTES + dimensions) + Float.BYTES;
            var bits = new long[words(dimensions)];
            for (var i = 0; i < dimensions; i++) {
                if (packed[at + i] > 0) {
                    bits[i >> 6] |= 1L << i;
                }
            }
            for (var word : bits) {
                signatures.putLong(word);
            }
        }
        return signatures.array();
    }

    private static int words(int dimensions) {
        return Math.ceilDiv(dimensions, Long.SIZE);
    }
}
