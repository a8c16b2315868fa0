import java.awt.GridLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.SimpleDateFormat;
import java.util.Calendar;
import java.util.GregorianCalendar;
import javax.swing.JFrame;
import javax.swing.JLabel;
import javax.swing.JSpinner;
import javax.swing.JTextField;
import javax.swing.SpinnerDateModel;
import javax.swing.SwingUtilities;
import javax.swing.Timer;

/** A date spinner and a text of Swing: `DatesSwing.java STATE_FILE`. */
public class DatesSwing {
    public static void main(String[] given) {
        SwingUtilities.invokeLater(() -> show(Path.of(given[0])));
    }

    private static void show(Path file) {
        var day = new GregorianCalendar(2020, Calendar.JANUARY, 2).getTime();
        var due = new JSpinner(new SpinnerDateModel(day, null, null, Calendar.DAY_OF_MONTH));
        due.setEditor(new JSpinner.DateEditor(due, "dd.MM.yyyy"));
        due.getAccessibleContext().setAccessibleName("Due");
        var frame = new JFrame("Dates");
        frame.setLayout(new GridLayout(0, 2));
        frame.add(new JLabel("Due on"));
        frame.add(due);
        frame.add(new JLabel("Other"));
        frame.add(new JTextField());
        frame.setSize(320, 120);
        frame.setVisible(true);
        new Timer(30, event -> write(file, new SimpleDateFormat("yyyy-MM-dd").format(due.getValue()))).start();
    }

    private static void write(Path file, String day) {
        try {
            var fresh = file.resolveSibling("state.new");
            Files.writeString(fresh, "{\"Due\": \"" + day + "\"}");
            Files.move(fresh, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        } catch (java.io.IOException error) {
            throw new java.io.UncheckedIOException(error);
        }
    }
}
