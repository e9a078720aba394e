/** Multinomial naive Bayes: labelled documents, training, classification. */
package kvasir.bayes;
