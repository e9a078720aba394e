package kvasir.nvm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.server.api.ApplicationInitializationContext;
import org.apache.hadoop.yarn.server.api.ApplicationTerminationContext;
import org.apache.hadoop.yarn.server.api.AuxiliaryService;

/**
 * Removes an application's merged outputs from the memory of its NodeManager's host when it ends,
 * as the NodeManager removes its files from the local directory. A host has one NodeManager of a
 * user.
 */
public final class OutputService extends AuxiliaryService {
  private Path memory;

  public OutputService() {
    super("kvasir_nvm");
  }

  @Override
  protected void serviceInit(Configuration conf) throws Exception {
    memory = Paths.get(conf.get(NvmSettings.DIR, NvmSettings.DEFAULT_DIR));
    super.serviceInit(conf);
  }

  @Override
  protected void serviceStart() throws Exception {
    if (!recovers()) {
      // Left by one that was killed.
      Outputs.remove(memory);
    }
    Files.createDirectories(Outputs.folder(memory));
    super.serviceStart();
  }

  @Override
  protected void serviceStop() throws Exception {
    if (memory != null && !recovers()) {
      // Applications do not survive their NodeManager, and neither do files on the local directory.
      Outputs.remove(memory);
    }
    super.serviceStop();
  }

  private boolean recovers() {
    return getConfig().getBoolean("yarn.nodemanager.recovery.enabled", false);
  }

  @Override
  public void initializeApplication(ApplicationInitializationContext context) {}

  @Override
  public void stopApplication(ApplicationTerminationContext context) {
    try {
      Outputs.remove(memory, context.getApplicationId().toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public ByteBuffer getMetaData() {
    return ByteBuffer.allocate(0);
  }
}
