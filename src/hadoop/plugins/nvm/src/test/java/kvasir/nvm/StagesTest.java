package kvasir.nvm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class StagesTest {
  private static final String TASK = "org.apache.hadoop.mapred.MapTask$";

  private static int stage(String... frames) {
    StackTraceElement[] stack = new StackTraceElement[frames.length];
    for (int i = 0; i < frames.length; i++) {
      int dot = frames[i].lastIndexOf('.');
      stack[i] =
          new StackTraceElement(frames[i].substring(0, dot), frames[i].substring(dot + 1), null, 1);
    }
    return Stages.stage(stack);
  }

  @Test
  void stagesAreToldFromTheStack() {
    String run = "org.apache.hadoop.mapreduce.Mapper.run";
    String write = TASK + "NewOutputCollector.write";
    assertEquals(0, stage("x.Lines.next", TASK + "NewTrackingRecordReader.nextKeyValue", run));
    assertEquals(0, stage("x.Lines.next", TASK + "TrackedRecordReader.next", "x.Runner.run"));
    assertEquals(1, stage("x.Own.map", run));
    assertEquals(2, stage("x.Text.write", "kvasir.nvm.NvmCollector.collect", write, "x.Own.map"));
    assertEquals(2, stage("x.Own.getPartition", TASK + "OldOutputCollector.collect", "x.Own.map"));
    String wait = "java.lang.Object.wait";
    assertEquals(3, stage(wait, "kvasir.nvm.Spiller.await", write, "x.Own.map"));
    String park = "jdk.internal.misc.Unsafe.park";
    assertEquals(3, stage(park, "java.util.concurrent.locks.LockSupport.park", write));
    assertEquals(1, stage(wait, "x.Own.map", run), "the map's own waiting");
    assertEquals(3, stage("x.Out.write", TASK + "MapOutputBuffer.spillSingleRecord", write));
  }
}
